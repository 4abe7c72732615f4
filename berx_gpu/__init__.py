"""Score entity-resolution output at any size."""

from typing import TYPE_CHECKING

__version__ = "0.1.0"

_ROOMS = {
    "candidates.budget": ("error_budget",),
    "candidates.oracle": ("oracle",),
    "candidates.recall": ("candidate_recall",),
    "candidates.results": (
        "CandidateRecall",
        "ErrorBudget",
    ),
    "clusters.metrics": (
        "b_cubed_fbeta",
        "b_cubed_precision",
        "b_cubed_recall",
        "cluster_fbeta",
        "cluster_metrics",
        "cluster_precision",
        "cluster_recall",
        "pairwise_fbeta",
        "pairwise_precision",
        "pairwise_recall",
    ),
    "clusters.results": ("ClusterMetrics",),
    "comparing.comparing": (
        "compare",
        "compare_all",
    ),
    "comparing.results": (
        "Comparison",
        "Comparisons",
    ),
    "deciding.check": ("check",),
    "deciding.check_result": ("Check",),
    "deciding.decide": ("decide",),
    "deciding.policy": ("Policy",),
    "errors": (
        "DataError",
        "DataWarning",
        "MissingDependencyError",
    ),
    "evaluation.break_even": ("break_even_ratio",),
    "evaluation.evaluation": ("Evaluation",),
    "evaluation.interval": ("Interval",),
    "evaluation.reconciliation": ("Reconciliation",),
    "evaluation.scoring": ("evaluate",),
    "files.pairs": (
        "read_pairs",
        "write_pairs",
    ),
    "judgements": (
        "Judgement",
        "precision_recall",
        "process_judgements",
    ),
    "links.dropped": ("Dropped",),
    "links.truth": ("Truth",),
    "posterior": (
        "BayesianPRModel",
        "Metric",
        "PosteriorStats",
        "compare_models",
        "consistency_test",
        "posteriors",
        "transfer_test",
    ),
    "runtime.progress": ("progress",),
    "sets": (
        "entity_f05",
        "entity_scores",
        "macro_f05",
        "oracle_f05",
        "pair_recall",
        "slice_report",
    ),
    "sweeping.results": ("Sweep",),
    "sweeping.sweeping": ("sweep",),
    "versions": ("show_versions",),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}
__all__ = [*sorted(_HOMES), "__version__"]

if TYPE_CHECKING:
    from berx_gpu.candidates.budget import error_budget as error_budget
    from berx_gpu.candidates.oracle import oracle as oracle
    from berx_gpu.candidates.recall import candidate_recall as candidate_recall
    from berx_gpu.candidates.results import CandidateRecall as CandidateRecall
    from berx_gpu.candidates.results import ErrorBudget as ErrorBudget
    from berx_gpu.clusters.metrics import b_cubed_fbeta as b_cubed_fbeta
    from berx_gpu.clusters.metrics import b_cubed_precision as b_cubed_precision
    from berx_gpu.clusters.metrics import b_cubed_recall as b_cubed_recall
    from berx_gpu.clusters.metrics import cluster_fbeta as cluster_fbeta
    from berx_gpu.clusters.metrics import cluster_metrics as cluster_metrics
    from berx_gpu.clusters.metrics import cluster_precision as cluster_precision
    from berx_gpu.clusters.metrics import cluster_recall as cluster_recall
    from berx_gpu.clusters.metrics import pairwise_fbeta as pairwise_fbeta
    from berx_gpu.clusters.metrics import pairwise_precision as pairwise_precision
    from berx_gpu.clusters.metrics import pairwise_recall as pairwise_recall
    from berx_gpu.clusters.results import ClusterMetrics as ClusterMetrics
    from berx_gpu.comparing.comparing import compare as compare
    from berx_gpu.comparing.comparing import compare_all as compare_all
    from berx_gpu.comparing.results import Comparison as Comparison
    from berx_gpu.comparing.results import Comparisons as Comparisons
    from berx_gpu.deciding.check import check as check
    from berx_gpu.deciding.check_result import Check as Check
    from berx_gpu.deciding.decide import decide as decide
    from berx_gpu.deciding.policy import Policy as Policy
    from berx_gpu.errors import DataError as DataError
    from berx_gpu.errors import DataWarning as DataWarning
    from berx_gpu.errors import MissingDependencyError as MissingDependencyError
    from berx_gpu.evaluation.break_even import break_even_ratio as break_even_ratio
    from berx_gpu.evaluation.evaluation import Evaluation as Evaluation
    from berx_gpu.evaluation.interval import Interval as Interval
    from berx_gpu.evaluation.reconciliation import Reconciliation as Reconciliation
    from berx_gpu.evaluation.scoring import evaluate as evaluate
    from berx_gpu.files.pairs import read_pairs as read_pairs
    from berx_gpu.files.pairs import write_pairs as write_pairs
    from berx_gpu.judgements import Judgement as Judgement
    from berx_gpu.judgements import precision_recall as precision_recall
    from berx_gpu.judgements import process_judgements as process_judgements
    from berx_gpu.links.dropped import Dropped as Dropped
    from berx_gpu.links.truth import Truth as Truth
    from berx_gpu.posterior import BayesianPRModel as BayesianPRModel
    from berx_gpu.posterior import Metric as Metric
    from berx_gpu.posterior import PosteriorStats as PosteriorStats
    from berx_gpu.posterior import compare_models as compare_models
    from berx_gpu.posterior import consistency_test as consistency_test
    from berx_gpu.posterior import posteriors as posteriors
    from berx_gpu.posterior import transfer_test as transfer_test
    from berx_gpu.runtime.progress import progress as progress
    from berx_gpu.sets import entity_f05 as entity_f05
    from berx_gpu.sets import entity_scores as entity_scores
    from berx_gpu.sets import macro_f05 as macro_f05
    from berx_gpu.sets import oracle_f05 as oracle_f05
    from berx_gpu.sets import pair_recall as pair_recall
    from berx_gpu.sets import slice_report as slice_report
    from berx_gpu.sweeping.results import Sweep as Sweep
    from berx_gpu.sweeping.sweeping import sweep as sweep
    from berx_gpu.versions import show_versions as show_versions
else:

    def __getattr__(name):
        """Import a public name when it is first used: numba and pandas load only then."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

    def __dir__():
        return __all__
