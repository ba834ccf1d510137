class Influence: pass
def influence(): pass
