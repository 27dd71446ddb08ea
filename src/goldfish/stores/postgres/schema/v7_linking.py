"""Version 7: the links of a fact are noted once, by whoever is first.

A slower process has seen fewer facts, and the writers of the others rely on what was noted.
"""

LINKING: tuple[str, ...] = (
    """CREATE OR REPLACE FUNCTION {s}.link_fact(
        the_key bytea, the_id bytea, worded_at bigint, new_near bytea
    ) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE the_user {s}.fact_users%ROWTYPE := {s}.living_user(the_key);
    BEGIN
        UPDATE {s}.facts SET near = new_near, changed = {s}.next_change(the_user.pk)
            WHERE owner = the_user.pk AND id = the_id AND said_at = worded_at AND near = '[]';
    END $$""",
)
