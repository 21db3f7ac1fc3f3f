// What the modules take and give: docs/board.md says what each of it means. Only the type checker reads this file.

/** What stays the same during a game. */
export interface Shape {
  game: string;
  title: string;
  side: number;
  nested: boolean;
  boards: number;
  marks: string;
  choices: number;
  tones: number[];
  seats: (number | null)[];
  names: string[];
}

export interface Target {
  blocks: number[];
  player: number;
  text: string;
}

export interface Hint {
  cell: number;
  mark: string;
  text: string;
  words: string;
  best: boolean;
}

/** A position as the board shows it. */
export interface View {
  shape: Shape;
  cells: string;
  owners: string;
  player: number | null;
  bonus: boolean;
  open: number[];
  last: number | null;
  lines: number[][];
  winner: number | null;
  points: number[] | null;
  status: string;
  says?: string;
  marks?: string[];
  moves?: Record<string, number>;
  targets?: Target[];
  hints?: Hint[];
  flags?: { cell: number; text: string; words: string }[];
  threats?: number[];
  arrows?: { from: number; cell?: number; block?: number; look?: string }[];
}

/** A recorded game, as `board.recorded` makes it; with a review, also what was found. */
export interface GameData {
  shape: Shape;
  texts: string[];
  sets: number[][];
  situations: [number | null, number, number, number][];
  cells: number[];
  by: string;
  marks?: string;
  codes: number[];
  owners: [number, number, string][];
  lines?: number[][];
  winner?: number | null;
  points?: number[];
  begin?: { cells: string; owners: string; last: number | null };
  values?: number[];
  exact?: string;
  mistakes?: [number, number, number, number, number[], string, number, number][];
  result?: number[];
}

/** A game that is played, as the server tells it. */
export interface PlayedGame {
  id: string;
  version: number;
  view: View;
  moves: [number, string][];
  seats: { kind: string; player: string; title: string; named: boolean }[];
  clock: number | null;
  clocks: number[];
  over: boolean;
  result: string | null;
  together: boolean;
  offered?: boolean;
  next: string | null;
  you: number[];
  present: boolean[];
  people: boolean;
  offers: Record<string, number>;
  hints: boolean;
}
