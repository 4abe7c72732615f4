"""How a result looks: text, Markdown, HTML, JSON, figures."""
