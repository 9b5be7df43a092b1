"""The game of play.py with the package kibitzer-ics (docs/python.md): python3 play_ics.py [SERVER]"""
import asyncio, sys
import kibitzer_ics as ics

PLAN = "e4 d4 Nf3 Be2 O-O c3 Re1 h3 a4 Nbd2 b3 Bb2 Qc2 Rad1 g3 b4".split()


async def move(client, game):
    for text in PLAN:
        try:
            return await client.make_move(text, during=game, expires=30)
        except ics.Refused:
            pass
    await client.resign()


async def main(server):
    async with ics.connect(server, guest=True) as client:
        events = client.events("mine")
        await client.challenge("Whetstone", time=(5, 0), rated=False, color="white")
        seen = set()
        async for event in events:
            match event:
                case ics.Position(relation=1, fen=fen) if fen not in seen:  # a refused move repeats the board
                    seen.add(fen)
                    asyncio.create_task(move(client, event.game))
                case ics.GameEnded(result=result):
                    print(event.white, event.black, result, event.reason)
                    return


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "demo"))
