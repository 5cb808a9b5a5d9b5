/** Draws docs/architecture.svg: the folders of `src/` and their imports, from the table that the border test enforces. */
import { MAY_IMPORT } from './import-table.ts'
import { escapeXml, SANS, svg } from './svg.ts'

const BOX = { width: 144, height: 52 }
const STEP = { x: 158, y: 92 }
const MARGIN = { x: 24, y: 24 }
const COLUMNS = 7
const ROWS = 9

type BoxPosition = { column: number; row: number; says: string; lastColumn?: number }

const POSITIONS: Readonly<Record<string, BoxPosition>> = {
  console: { column: 1, row: 0, says: 'a page for browsers' },
  library: { column: 2, row: 0, says: 'for Node programs' },
  cli: { column: 3, row: 0, says: 'words in, text out' },
  acp: { column: 4, row: 0, says: 'an agent for editors' },
  http: { column: 2, row: 1, says: 'three styles of API' },
  mcp: { column: 4, row: 1, says: 'tools for models' },
  service: { column: 3, row: 2, says: 'what drover can do' },
  hosts: { column: 6, row: 1, says: 'installs into agents' },
  config: { column: 2, row: 2, says: 'every setting' },
  drive: { column: 3, row: 3, says: 'agents do a run' },
  watch: { column: 4, row: 3, says: 'labels, schedules' },
  executions: { column: 1, row: 4, says: 'numbered events' },
  runs: { column: 4, row: 4, says: 'operations on runs' },
  demo: { column: 0, row: 5, says: 'the demo agent' },
  prompts: { column: 1, row: 5, says: 'one, many, compared' },
  journal: { column: 3, row: 5, says: 'the events of a run' },
  workspace: { column: 4, row: 5, says: 'reads git and files' },
  source: { column: 5, row: 5, says: 'issue to pinned source' },
  forge: { column: 5, row: 6, says: 'asks GitHub' },
  telemetry: { column: 0, row: 6, says: 'traces and metrics' },
  notify: { column: 0, row: 4, says: 'tells people' },
  sessions: { column: 1, row: 6, says: 'stored conversations' },
  sandbox: { column: 2, row: 6, says: 'confines commands' },
  engine: { column: 3, row: 6, says: 'decides, without I/O' },
  store: { column: 0, row: 7, says: 'SQLite or PostgreSQL' },
  agents: { column: 1, row: 7, says: 'one program each' },
  contract: { column: 3, row: 7, lastColumn: 6, says: 'every message between drover and an agent' },
  kit: { column: 0, row: 8, lastColumn: 6, says: 'faults, shapes, files, locks, processes' },
}

/** Each is named beside its top folder. */
const HALVES: readonly BoxPosition[] = [
  { says: 'serving prompts', column: 0, row: 3 },
  { says: 'orchestrating changes', column: 5, row: 4 },
]

export function drawArchitecture(): string {
  const folders = Object.keys(MAY_IMPORT).filter((folder) => folder !== 'bin.ts')
  const missing = folders.filter((folder) => POSITIONS[folder] === undefined)
  if (missing.length > 0) throw new Error(`the picture has no position for ${missing.join(', ')}`)
  const width = 2 * MARGIN.x + (COLUMNS - 1) * STEP.x + BOX.width
  const size = { width, height: MARGIN.y + ROWS * STEP.y - 16, title: 'The folders of drover and what each imports' }
  return svg(size, [
    `<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>`,
    `<rect width="${size.width}" height="${size.height}" rx="8" fill="#ffffff" stroke="#d0d7de"/>`,
    ...HALVES.map(halfName),
    ...folders.flatMap((folder) => directImports(folder).map((target) => arrow(folder, target))),
    ...folders.map(box),
  ])
}

/** Omits imports that another import implies, so that the picture stays readable. */
function directImports(folder: string): readonly string[] {
  const targets = MAY_IMPORT[folder] ?? []
  return targets.filter((target) => !targets.some((other) => other !== target && reaches(other, target)))
}

function reaches(from: string, to: string): boolean {
  return (MAY_IMPORT[from] ?? []).some((next) => next === to || reaches(next, to))
}

function halfName({ says, column, row }: BoxPosition): string {
  const x = MARGIN.x + BOX.width / 2 + column * STEP.x
  return text({ x, y: MARGIN.y + row * STEP.y + 31, size: 13, fill: '#57606a' }, says)
}

function box(folder: string): string {
  const { x, y, width, says } = frameOf(folder)
  const fill = folder === 'kit' ? '#ddf4ff' : '#f6f8fa'
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${BOX.height}" rx="6" fill="${fill}" stroke="#57606a"/>`,
    text({ x: x + width / 2, y: y + 22, size: 15, fill: '#1f2328', isBold: true }, folder),
    text({ x: x + width / 2, y: y + 40, size: 11.5, fill: '#57606a' }, says),
  ].join('\n')
}

/** Leads from the lower edge of a folder to the upper edge of one that it imports; straight down if that is wide enough. */
function arrow(from: string, to: string): string {
  const [above, below] = [frameOf(from), frameOf(to)]
  const start = { x: above.x + above.width / 2, y: above.y + BOX.height }
  const isOver = below.width > BOX.width && start.x > below.x && start.x < below.x + below.width
  const end = { x: isOver ? start.x : below.x + below.width / 2, y: below.y - 2 }
  const middle = (start.y + end.y) / 2
  const curve = `M${start.x} ${start.y}C${start.x} ${middle} ${end.x} ${middle} ${end.x} ${end.y}`
  return `<path d="${curve}" fill="none" stroke="#57606a" stroke-width="1.3" marker-end="url(#tip)"/>`
}

type Frame = { x: number; y: number; width: number; says: string }

function frameOf(folder: string): Frame {
  const { column, row, says, lastColumn = column } = POSITIONS[folder] ?? { column: 0, row: 0, says: '' }
  const width = (lastColumn - column) * STEP.x + BOX.width
  return { x: MARGIN.x + column * STEP.x, y: MARGIN.y + row * STEP.y, width, says }
}

type Style = { x: number; y: number; size: number; fill: string; isBold?: boolean }

function text({ x, y, size, fill, isBold = false }: Style, words: string): string {
  const weight = isBold ? ' font-weight="600"' : ''
  return `<text x="${x}" y="${y}" font-family="${SANS}" font-size="${size}"${weight} fill="${fill}" text-anchor="middle">${escapeXml(words)}</text>`
}
