class PartExplanation: pass
def explain_parts(function, X): raise NotImplementedError
