# Agents for three queues, Erlang 1917
def wait(agents, load):
    blocked = 1.0
    for k in range(1, agents + 1):
        blocked = load * blocked / (k + load * blocked)
    if agents <= load:
        return 50 + load - agents
    chance = blocked / (1 - load / agents * (1 - blocked))
    return chance * 3 / (agents - load)

def f(x):
    total = 0.0
    for v, load, weight in zip(x, (7.5, 12.0, 4.2), (1.0, 2.0, 1.5)):
        agents = max(1, int(round(v)))
        total += agents + 12 * weight * load * wait(agents, load)
    return total
