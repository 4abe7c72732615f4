"""Precision and recall of clusterings against what people judged of some clusters."""

from berx_gpu.judgements.scoring import Judgement as Judgement
from berx_gpu.judgements.scoring import ModelComparison as ModelComparison
from berx_gpu.judgements.scoring import Pair as Pair
from berx_gpu.judgements.scoring import Pairs as Pairs
from berx_gpu.judgements.scoring import PrecisionRecall as PrecisionRecall
from berx_gpu.judgements.scoring import precision_recall as precision_recall
from berx_gpu.judgements.scoring import process_judgements as process_judgements
