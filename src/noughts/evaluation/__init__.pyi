from noughts.evaluation.plan import EvaluationRun as EvaluationRun
from noughts.evaluation.plan import Plan as Plan
from noughts.evaluation.plan import open_run as open_run
from noughts.evaluation.report import as_data as as_data
from noughts.evaluation.results import Results as Results
from noughts.evaluation.results import chat_examples as chat_examples
from noughts.evaluation.results import grade as grade
