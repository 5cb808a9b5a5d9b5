import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import stringWidth from 'string-width'
import { DROVER } from './run-drover.ts'
import { until } from './until.ts'

export const hasTerminals = spawnSync('script', ['--version']).status === 0

/**
 * `stdin` and `stdout` are files or named pipes that replace the terminal. If it `isLost`, the parent of drover has ended and
 * the shell has taken the terminal back. The shell reads nothing, and ends after drover.
 */
type Surroundings = { cwd: string; env: Record<string, string>; stdin?: string; stdout?: string; isLost?: boolean }
type Size = { columns?: number; rows?: number }

/** Starts drover on a pseudo-terminal, where stdout and stderr appear together. */
export function startOnTerminal(args: readonly string[], options: Surroundings & Size) {
  const { columns = 80, rows = 24, cwd, env, stdin, stdout, isLost = false } = options
  const files = [stdin && ` < '${stdin}'`, stdout && ` > '${stdout}'`].join('')
  const command = [process.execPath, DROVER, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const size = `stty cols ${columns} rows ${rows} -echo`
  const orphan = `( ( ${command} < /dev/tty; echo "exit code $?"; kill -USR1 $$ ) & )`
  const line = isLost
    ? `${size}; set -m; trap exit USR1; ${orphan}; while :; do sleep 0.1; done`
    : `${size}; exec ${command}${files}`
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env: { TERM: 'xterm', ...env } })
  let seen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text.replaceAll('\r\n', '\n')
  })
  const pid = () => Number.parseInt(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'), 10)
  return {
    child,
    /** The process id of drover. */
    pid,
    seen: () => seen,
    /** Waits until the terminal has shown the text. */
    shows: (text: string) => until(() => seen.includes(text)),
    type: (text: string) => child.stdin.write(text),
    resize: (width: number) => {
      execFileSync('stty', ['-F', `/proc/${pid()}/fd/0`, 'cols', String(width)])
    },
    ended: new Promise<{ code: number | null; seen: string }>((resolve) => {
      child.on('close', (code) => resolve({ code, seen }))
    }),
  }
}

/** The text that remains on a screen without end after all cursor movements and clearing. */
export function leftOnScreen(seen: string): string {
  const lines = ['']
  let row = 0
  for (const [piece] of seen.matchAll(MOVES)) {
    if (piece === '\n') row += 1
    else if (piece === CLEAR_BELOW) lines.splice(row, lines.length)
    else if (/\dA$/.test(piece) && piece.startsWith(ESCAPE)) row -= Number(piece.slice(2, -1))
    else if (piece !== '\r' && !piece.startsWith(ESCAPE)) lines[row] = piece
    lines[row] ??= ''
  }
  return lines.join('\n')
}

/** The rows of a screen without end that is `columns` wide: long lines wrap, wide characters take two columns. */
export function screenOf(seen: string, columns: number): string[] {
  const screen = new Screen(columns)
  for (const [piece] of seen.matchAll(PIECES)) {
    if (piece.startsWith(ESCAPE)) screen.control(piece)
    else if (piece === '\n') screen.break()
    else if (piece === '\r') screen.column = 0
    else screen.print(piece)
  }
  return screen.rows.map((cells) =>
    Array.from(cells, (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  )
}

class Screen {
  readonly rows: string[][] = [[]]
  readonly #columns: number
  #row = 0
  column = 0

  constructor(columns: number) {
    this.#columns = columns
  }

  break(): void {
    this.column = 0
    this.#row += 1
    this.rows[this.#row] ??= []
  }

  print(character: string): void {
    const width = stringWidth(character)
    if (this.column + width > this.#columns) this.break()
    const cells = this.rows[this.#row] ?? []
    cells[this.column] = character
    if (width === 2) cells[this.column + 1] = ''
    this.column += width
  }

  control(sequence: string): void {
    if (sequence.endsWith('A')) this.#row = Math.max(0, this.#row - Number(sequence.slice(2, -1) || 1))
    if (sequence === CLEAR_BELOW) this.rows.splice(this.#row + 1)
    if (sequence === CLEAR_BELOW || sequence === CLEAR_RIGHT) this.rows[this.#row]?.splice(this.column)
  }
}

const ESCAPE = '\u001b'
const CLEAR_RIGHT = `${ESCAPE}[K`
const CLEAR_BELOW = `${ESCAPE}[J`
const MOVES = new RegExp(`${ESCAPE}\\[\\d*[A-Z]|\\n|\\r|[^${ESCAPE}\\n\\r]+`, 'g')
const PIECES = new RegExp(`${ESCAPE}\\[[\\d;]*[A-Za-z]|\\n|\\r|[^]`, 'gu')
