"""Beta posteriors of precision, recall and F: one model, two models, or a million at once."""

from berx_gpu.posterior.model import BayesianPRModel as BayesianPRModel
from berx_gpu.posterior.model import PosteriorStats as PosteriorStats
from berx_gpu.posterior.models_compared import compare_models as compare_models
from berx_gpu.posterior.models_compared import consistency_test as consistency_test
from berx_gpu.posterior.models_compared import transfer_test as transfer_test
from berx_gpu.posterior.options import PRIORS as PRIORS
from berx_gpu.posterior.options import Metric as Metric
from berx_gpu.posterior.table import posteriors as posteriors
