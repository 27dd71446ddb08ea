"""English words so common that they say nothing about what a text is about."""

_COMMON = """
a about after again all also am an and any are as at be because been before being both but by
can could did do does doing done during each even ever few for from further get gets getting got
had has have having he her here hers herself him himself his how i if in into is it its itself
just let me more most much must my myself no nor not of off oh ok okay on once one only or other
our ours ourselves out over own quite rather really same shall she should so some such than that
the their theirs them themselves then there these they this those though through to too under
until up upon us very was we were what whatever when where whether which while who whom whose
why will with within without would yeah yes yet you your yours yourself yourselves
"""
_OF_CONTRACTIONS = """
ain aren couldn didn doesn don hadn hasn haven isn mightn mustn needn shan shouldn wasn weren won
wouldn d ll m re s t ve
"""

STOP_WORDS = frozenset(_COMMON.split() + _OF_CONTRACTIONS.split())
