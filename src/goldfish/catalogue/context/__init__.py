"""What reached the prompt: promises about agents.

A check is registered with ``check_agent``; its function is given an ``Agent``. It talks, and then
looks at what the mirror was shown:

    @check_agent("CTX01", "What was said earlier is in a later prompt.", incident="…")
    async def what_was_said_is_in_a_later_prompt(agent: Agent) -> None:
        talk = agent.talk()                     # a new user in a session of her own
        await talk.say_all(6)                   # six turns, each with a mark of its own
        expect_remembered(talk)                 # the last prompt shows them all

``talk.say()`` returns a ``Turn``: ``mark`` and ``text`` (what was said), ``answer`` (the mark of
the reply), ``prompt`` (what the model was shown when it made the answer), ``prompts``,
``exchanges``, ``outcome``, ``is_acknowledged``, ``is_swallowed``. It blames an agent that does not
answer; ``talk.attempt()`` does not. ``direct=lambda model: model.fail(500, times=None)`` tells the
mirror what to do during the turn (``call_tool``, ``fail``, ``hang``, ``hang_up``, ``slow``,
``reply``). ``worker=1`` asks the second process. ``agent.kill()`` and ``agent.restart()`` are about
the first one unless they are given another place; a worker that was killed is started again when it
is next asked. ``say_at_once`` says things at the same moment, and with ``direct=meet(agent)`` the
model answers none of them before it was asked in all; ``kill_during`` kills a worker in the middle
of a turn. ``talk.overflow()`` talks until the oldest messages left the window, or there is a
summary.

``agents/expectations.py`` has what a prompt must show, each as a function that raises the violation
with the prompt as its evidence; a new kind of expectation belongs there. ``agents/recovery.py``
has what is due after a turn that failed or was cut, ``agents/tool_calls.py`` what is due of tools;
``agents/prompts.py`` reads prompts. What an agent declares is in ``agent.target`` (``window``,
``summarises``) and in ``agent.traits``; ``needs=`` names what a check requires: ``OtherProcess``,
``Reopening``, ``Window`` and ``Summaries`` of the registry, ``Users``, ``Streams``, ``Forgetting``
and ``Tools`` of ``requirements.py``. The specimens are in ``specimens/agents/``, variants of
``AgentReference`` and of the other references there; ``declares`` has what their target declares.
"""
