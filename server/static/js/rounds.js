// Moves in the rows of a list: a round ends when a seat comes up that has already moved in it, so skipped players leave a gap.

export function rounds(moves, seats) {
  const found = [];
  for (const move of moves) {
    const column = seats.indexOf(move.side);
    const open = found.at(-1);
    if (open && open.length <= column) open[column] = move;
    else found.push(Object.assign([], { [column]: move }));
  }
  return found;
}
