"""SNP: the id of a snapshot stands for one state."""

from goldfish.catalogue.registry import check
from goldfish.catalogue.snapshots.sessions import DELETE, RESTORING, save_states
from goldfish.catalogue.support.snapshots import expect_new_id, expect_state, save
from goldfish.harness.memory import Memory


@check(
    "SNP32",
    "A snapshot that is saved after an older one was deleted takes the id of no other.",
    incident="apache/iceberg pull request 4747: where a new snapshot was given an id that another "
    "one had, nothing refused it, and data were lost.",
    needs=[*RESTORING, DELETE],
)
async def no_snapshot_takes_the_id_of_another(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    saved = await save_states(memory, client, session, 3)
    for turn in range(2):
        await client.call("delete_snapshot", session, saved.pop(turn)[0])
        there = [*saved[-1][1], *memory.messages(2)]
        await client.add(session, there[-2:])
        name = await save(client, session)
        expect_new_id(session, name, [each for each, _ in saved])
        saved.append((name, there))
    for name, messages in reversed(saved):  # a rollback may remove what is newer
        await expect_state(client, session, name, messages, gone=saved[-1][1])
