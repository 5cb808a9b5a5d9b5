/** Draws a terminal recording as an SVG that plays by itself: one frame beside the other, moved by CSS. */
import xterm from '@xterm/headless'
import { escapeXml, MONO, svg } from './svg.ts'
import { type Output, SIZE } from './tour.ts'

/** Rows of the screen as markup. */
type Frame = { at: number; rows: readonly string[] }

const FONT = { size: 13, width: 7.83, height: 18 }
const MARGIN = { x: 16, y: 44 }
const COLOURS = { back: '#0d1117', bar: '#161b22', text: '#c9d1d9', bold: '#f0f6fc', dim: '#8b949e' }
/** The eight colours of a terminal, and their bright ones. */
const PALETTE = [
  ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'],
]
/** Outputs closer than this become one frame. */
const FRAME_MS = 90
/** Nothing happens for longer only at the end, before it plays again. */
const LONGEST_PAUSE_MS = 1600
const END_MS = 6000

export async function drawRecording(outputs: readonly Output[]): Promise<string> {
  const frames = shortenPauses(await toFrames(outputs))
  const width = Math.ceil(2 * MARGIN.x + SIZE.columns * FONT.width)
  const height = Math.ceil(MARGIN.y + SIZE.rows * FONT.height + MARGIN.x)
  const rows = new Map([...new Set(frames.flatMap((frame) => frame.rows))].map((row, at) => [row, `r${at}`]))
  return svg({ width, height, title: 'drover in a terminal' }, [
    `<style>${animate(frames, width)}</style>`,
    `<defs>${[...rows].map(([row, id]) => `<text id="${id}">${row}</text>`).join('\n')}</defs>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${COLOURS.back}"/>`,
    `<path d="M0 8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v24H0z" fill="${COLOURS.bar}"/>`,
    ...['#ff5f56', '#ffbd2e', '#27c93f'].map(
      (fill, at) => `<circle cx="${20 + at * 20}" cy="16" r="6" fill="${fill}"/>`,
    ),
    `<svg x="${MARGIN.x}" y="${MARGIN.y - FONT.height}" width="${width - 2 * MARGIN.x}" height="${height - MARGIN.y}">`,
    `<g class="film" font-family="${MONO}" font-size="${FONT.size}" fill="${COLOURS.text}" xml:space="preserve">`,
    ...frames.map((frame, at) => drawFrame(frame, at * width, rows)),
    '</g></svg>',
  ])
}

/** Where nothing moves, such as in print or for people who want that, the last frame is shown. */
function animate(frames: readonly Frame[], width: number): string {
  const total = (frames.at(-1)?.at ?? 0) + END_MS
  const steps = frames.map(
    ({ at }, index) => `${((100 * at) / total).toFixed(3)}%{transform:translateX(-${index * width}px)}`,
  )
  const last = `transform:translateX(-${(frames.length - 1) * width}px)`
  const moves = `animation:film ${(total / 1000).toFixed(1)}s step-end infinite`
  return `@keyframes film{${steps.join('')}}.film{${last};${moves}}@media(prefers-reduced-motion:reduce){.film{animation:none}}`
}

function drawFrame({ rows }: Frame, x: number, ids: ReadonlyMap<string, string>): string {
  const uses = rows.flatMap((row, at) =>
    row === '' ? [] : [`<use href="#${ids.get(row)}" y="${(at + 1) * FONT.height}"/>`],
  )
  return `<g transform="translate(${x})">${uses.join('')}</g>`
}

async function toFrames(outputs: readonly Output[]): Promise<Frame[]> {
  const terminal = new xterm.Terminal({ cols: SIZE.columns, rows: SIZE.rows, allowProposedApi: true })
  const frames: Frame[] = []
  for (const [index, { at, text }] of outputs.entries()) {
    await new Promise<void>((resolve) => terminal.write(text, resolve))
    const next = outputs[index + 1]
    if (next !== undefined && next.at - (frames.at(-1)?.at ?? -FRAME_MS) < FRAME_MS) continue
    const rows = Array.from({ length: SIZE.rows }, (_, row) => drawRow(terminal, row))
    if (rows.join('\n') !== frames.at(-1)?.rows.join('\n')) frames.push({ at, rows })
  }
  return frames
}

/** Runs of characters that look the same. */
function drawRow(terminal: xterm.Terminal, row: number): string {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)
  const parts: { look: string; text: string; at: number }[] = []
  for (let column = 0; column < SIZE.columns; column += 1) {
    const cell = line?.getCell(column)
    if (cell === undefined || cell.getWidth() === 0) continue
    const look = lookOf(cell)
    const text = cell.getChars() || ' '
    const last = parts.at(-1)
    if (last?.look === look) last.text += text
    else parts.push({ look, text, at: column })
  }
  return parts
    .filter(({ text }) => text.trim() !== '')
    .map(({ look, text, at }) => {
      const lead = text.length - text.trimStart().length
      return `<tspan x="${((at + lead) * FONT.width).toFixed(1)}"${look}>${escapeXml(text.trim()).replaceAll('  ', '\u00a0\u00a0')}</tspan>`
    })
    .join('')
}

function lookOf(cell: xterm.IBufferCell): string {
  const colour = cell.isFgPalette() ? PALETTE[cell.getFgColor()] : undefined
  const fill = colour ?? (cell.isDim() ? COLOURS.dim : cell.isBold() ? COLOURS.bold : undefined)
  return `${fill === undefined ? '' : ` fill="${fill}"`}${cell.isBold() ? ' font-weight="600"' : ''}`
}

function shortenPauses(frames: readonly Frame[]): Frame[] {
  let saved = 0
  return frames.map(({ at, rows }, index) => {
    const pause = at - (frames[index - 1]?.at ?? at)
    saved += Math.max(0, pause - LONGEST_PAUSE_MS)
    return { at: at - saved - (frames[0]?.at ?? 0), rows }
  })
}
