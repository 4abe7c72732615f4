"""`Truth`: the entities to score and their true pairs, checked and encoded once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from berx_gpu.inputs.clusters import pairs_of
from berx_gpu.inputs.pairs import Names
from berx_gpu.links.how import Reading
from berx_gpu.links.true_pairs import TruePairs


class Truth:
    """The entity list and the true pairs, encoded once and reused by every call.

    Parameters
    ----------
    pairs : DataFrame, Arrow stream, mapping or list of tuples
        The true (entity, target) pairs: a pandas or cuDF frame, anything with
        ``__arrow_c_stream__`` (polars, pyarrow, DuckDB), a mapping entity -> targets, or tuples.
        A target column may hold lists. Repeated pairs count once.
    entities : list, array, Index, Series or frame
        The entities that every average runs over, in the order of every per-entity result.
        Entities without a true pair are singletons. Further columns of a frame are slice keys.
    entity, target : str or list of str, default "entity", "target"
        Key columns of `pairs` (and, for `entity`, of an `entities` frame). A frame of two columns
        needs no names; a list names a key of several columns.
    undirected : bool, default False
        Whether a pair has no direction, as in deduplication: (b, a) is then (a, b), here and in
        the predictions. Pairs of a record with itself are left out. A pair counts for each of its
        listed records in per-entity results, and once in totals.
    nulls : {"error", "drop"}, default "error"
        What to do with rows of `pairs` that miss an id.
    device : {"cpu", "cuda"}, optional
        Where to work: on the GPU whatever library the frames are of; default: where they are.
    n_threads : int, optional
        Threads on the CPU, here and in calls with this truth; default: the CPUs that this process
        may use. The results do not depend on it.
    ids : {"exact", "text"}, default "exact"
        ``"text"`` compares the written text of ids, here and in the predictions scored against
        this truth: the number 7 then equals the text ``"7"`` (but not ``"007"``).

    Attributes
    ----------
    n_entities, n_singletons, n_true : int
        Listed entities, those without a true target, distinct true pairs of listed entities.
    repeats, nulls, outside, self_pairs : int
        Rows of `pairs` left out: repeated, with a missing id, of entities that are not listed, of
        a record with itself.

    Raises
    ------
    DataError
        For an empty or repeating entity list, missing ids, ids of different kinds, or a column
        that is not there.

    Notes
    -----
    Ids compare by value and never across kinds: numbers against text is an error. A `Truth` can
    be pickled, and does not change when the frames it was made from do.

    Examples
    --------
    >>> from berx_gpu import Truth
    >>> Truth({"a": ["x", "y"], "b": []}, entities=["a", "b"])
    Truth(2 entities, 2 true pairs, 1 singleton)
    """

    def __init__(
        self,
        pairs: Any,
        entities: Any,
        *,
        entity: Names = "entity",
        target: Names = "target",
        undirected: bool = False,
        nulls: str = "error",
        ids: str = "exact",
        device: str | None = None,
        n_threads: int | None = None,
    ) -> None:
        how = Reading(entity, target, nulls=nulls, ids=ids, device=device, n_threads=n_threads)
        self._prepared = TruePairs.read(pairs, entities, how, undirected)

    def __repr__(self) -> str:
        return repr(self._prepared)

    @classmethod
    def from_clusters(
        cls,
        frame: Any,
        *,
        id: Hashable,  # noqa: A002 - the name that the column has
        cluster: Hashable,
        entities: Any = None,
        nulls: str = "error",
        ids: str = "exact",
        device: str | None = None,
        n_threads: int | None = None,
    ) -> Truth:
        """Return the undirected truth in which the records of a cluster are pairs.

        Parameters
        ----------
        frame : DataFrame or Arrow stream
            One row per record.
        id, cluster : str
            Its columns: of record ids, each once, and of clusters. A record without a cluster is
            alone.
        entities : list, array, Index, Series or frame, optional
            The records to score; default: all of the frame, its other columns as slice keys.
        nulls, ids, device, n_threads
            As in `Truth`.

        Raises
        ------
        DataError
            For a repeated or missing id, or clusters with over 2**31 pairs in all.

        Examples
        --------
        >>> import pandas as pd
        >>> from berx_gpu import Truth
        >>> frame = pd.DataFrame({"id": [1, 2, 3, 4], "cluster": ["a", "a", "a", None]})
        >>> Truth.from_clusters(frame, id="id", cluster="cluster")
        Truth(4 entities, 3 true pairs, 1 singleton)
        """
        pairs, listed = pairs_of(frame, id, cluster)
        return cls(
            pairs,
            listed if entities is None else entities,
            entity=id,
            undirected=True,
            nulls=nulls,
            ids=ids,
            device=device,
            n_threads=n_threads,
        )

    @property
    def n_entities(self) -> int:
        """Number of listed entities."""
        return self._prepared.n_entities

    @property
    def n_singletons(self) -> int:
        """Number of listed entities without a true target."""
        return self._prepared.n_singletons

    @property
    def n_true(self) -> int:
        """Number of distinct true pairs of listed entities."""
        return self._prepared.n_true

    @property
    def repeats(self) -> int:
        """Number of rows whose pair stood before."""
        return self._prepared.repeats

    @property
    def nulls(self) -> int:
        """Number of rows with a missing id."""
        return self._prepared.nulls

    @property
    def outside(self) -> int:
        """Number of rows of entities that are not listed."""
        return self._prepared.outside

    @property
    def self_pairs(self) -> int:
        """Number of rows of a record with itself."""
        return self._prepared.self_pairs

    @property
    def ids(self) -> str:
        """How ids compare: exactly, or by their written text."""
        return self._prepared.ids

    @property
    def undirected(self) -> bool:
        """Whether a pair has no direction."""
        return self._prepared.undirected
