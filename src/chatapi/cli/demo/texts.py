"""What the people of the demo write to each other; numbers are their parts."""

from chatapi.cli.demo.script import OWNER, Conversation, Line

CONVERSATIONS = (
    Conversation(
        channel="announcements",
        topic="New office hours",
        days_ago=6,
        hour=9,
        lines=(
            Line(
                0,
                "From Monday the office opens at **7:30** and closes at **19:00**.\n\n"
                "* The side door needs a badge from 18:00 on.\n"
                "* Visitors sign in at the desk, as before.",
                {"thumbs_up": (1, 2, 3, 4), "tada": (5,)},
                is_starred=True,
            ),
            Line(3, "Does that include the workshop downstairs?"),
            Line(0, "Yes, the same hours for both floors.", {"heart": (3,)}),
        ),
    ),
    Conversation(
        channel="engineering",
        topic="slow search",
        days_ago=5,
        hour=10,
        is_resolved=True,
        lines=(
            Line(
                2, "Searching the archive takes eleven seconds since yesterday. Can anybody look?"
            ),
            Line(
                4,
                "I can reproduce it. The query reads the whole table:\n\n"
                "```sql\nEXPLAIN SELECT id FROM letter WHERE lower(title) LIKE '%invoice%';\n```",
                {"eyes": (1, 2)},
            ),
            Line(1, "We had an index for that. Has somebody removed it?"),
            Line(
                4,
                "It went with the migration of Tuesday. I put it back:\n\n"
                "| | before | after |\n|---|---|---|\n| cold | 11.2 s | 0.3 s |\n"
                "| warm | 6.0 s | 0.02 s |",
                {"tada": (1, 2, 3), "rocket": (OWNER,)},
            ),
            Line(2, "Confirmed, it is fast again. Thank you!", {"heart": (4,)}),
        ),
    ),
    Conversation(
        channel="design",
        topic="colours of the chart",
        days_ago=4,
        hour=14,
        lines=(
            Line(
                5,
                "This is how the report would look with the new colours:",
                {"art": (3, 4), "+1": (0, 1)},
                attachment="chart",
            ),
            Line(
                3, "I like it. The second bar is hard to tell from the third on my screen, though."
            ),
            Line(
                5,
                "True, I will make it darker tomorow.",
                edited_to="True, I will make it darker tomorrow.",
            ),
            Line(0, "Could the numbers stand above the bars?"),
        ),
    ),
    Conversation(
        channel="support",
        topic="lost parcel of Mrs Lindgren",
        days_ago=3,
        hour=11,
        lines=(
            Line(6, "She has been waiting for nine days. The carrier says it was delivered."),
            Line(1, "@*support-team* who has the signature of the delivery?", {"eyes": (2,)}),
            Line(2, "It was signed by a neighbour, in number 14. I have called: he has it."),
            Line(6, "Wonderful, I will tell her. :package:", {"tada": (1, 2)}),
        ),
    ),
    Conversation(
        people=(1, 4),
        days_ago=3,
        hour=16,
        lines=(
            Line(1, "Shall we show the two of you the new archive on Thursday? Twenty minutes."),
            Line(4, "Thursday at ten works for me."),
            Line(OWNER, "Ten is good. I bring the coffee.", {"coffee": (1, 4)}),
        ),
    ),
    Conversation(
        channel="engineering",
        topic="release 2.4",
        days_ago=2,
        hour=9,
        lines=(
            Line(
                1,
                "What is left for 2.4:\n\n"
                "1. ~~search~~ done\n2. export of letters\n3. translation of the help pages",
                is_starred=True,
            ),
            Line(3, "The export is ready for review. The notes are here:", attachment="notes"),
            Line(
                2, "Reviewed, two small remarks. Otherwise :shipit_crate:", {"shipit_crate": (1, 3)}
            ),
            Line(
                1,
                "/todo Before the release\ntranslate the help pages: half is done\n"
                "tell the support team\nmake a backup",
            ),
        ),
    ),
    Conversation(
        channel="books",
        topic="winter reading",
        days_ago=2,
        hour=19,
        lines=(
            Line(4, "I have finished the one about lighthouses. Who wants it next?"),
            Line(6, "Me, please!", {"books": (4,)}),
            Line(
                4,
                "```spoiler How it ends\nThe keeper stays, and the light goes out.\n```",
                {"open_mouth": (6,)},
            ),
        ),
    ),
    Conversation(
        channel="lunch",
        topic="Friday",
        days_ago=1,
        hour=11,
        lines=(
            Line(3, "/poll Where to on Friday?\nThe noodle place\nThe market\nWe cook here"),
            Line(0, "The market has its soup stand again.", {"yum": (2, 3, 5)}),
            Line(5, "We cooked last time, and the kitchen has *recovered* by now."),
        ),
    ),
    Conversation(
        people=(2,),
        days_ago=1,
        hour=15,
        lines=(
            Line(2, "Do you have a minute? I would like to hear what you think of the plan."),
            Line(OWNER, "Of course. Which part worries you?"),
            Line(2, "The dates. I will write it down until tomorrow."),
        ),
    ),
    Conversation(
        channel="general",
        topic="welcome, Elif",
        days_ago=1,
        hour=9,
        lines=(
            Line(0, "Our new colleague starts today, in the team of the archive. Say hello!"),
            Line(1, "Welcome! :wave:", {"wave": (2, 3, 4, 5)}),
            Line(6, "Welcome! Lunch is at noon, follow the noise."),
        ),
    ),
    Conversation(
        channel="engineering",
        topic="release 2.4",
        days_ago=0,
        hour=9,
        lines=(
            Line(3, "All help pages are translated."),
            Line(1, "Then 2.4 goes out this afternoon. @**{owner}** may I press the button?"),
        ),
    ),
    Conversation(
        people=(2,),
        days_ago=0,
        hour=10,
        lines=(Line(2, "Here is what I meant by the dates. There is no hurry."),),
    ),
)

STATUSES = (
    ("In a meeting", "calendar"),
    ("Working from home", "house"),
    ("On holiday until Monday", "palm_tree"),
    ("Reviewing 2.4", "eyes"),
)
GROUP = "support-team"
GROUP_DESCRIPTION = "Who answers when customers write."
EMOJI = "shipit_crate"
NOTES = """Export of letters

- one file per year, as CSV
- dates in ISO format
- attachments in a folder beside it
"""
