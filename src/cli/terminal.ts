/** The only writer of stdout and stderr. Results go to stdout, everything else to stderr. */
import { styleText } from 'node:util'
import { errorCode } from '../kit/fault.ts'
import { outputFailed } from './faults.ts'

/** `closed` when the reader has gone away, which is not an error. */
export type Written = 'written' | 'closed'

export type Channel = {
  /** Bytes are written as they are. */
  write(text: string | Uint8Array): Promise<Written>
  style(style: Parameters<typeof styleText>[0], text: string): string
  /** `style` changes the text. */
  readonly hasStyle: boolean
  readonly isTty: boolean
  /** Lines can be overwritten. */
  readonly canRedraw: boolean
  /** The current value: terminals are resized. */
  readonly columns: number
  readonly rows: number
  /** Turns colour off from here on. */
  disableColor(): void
}

export type Terminal = { out: Channel; err: Channel }

type Environment = Readonly<Record<string, string | undefined>>
type Stream = NodeJS.WriteStream

/** Opens a stream on first use, because Node needs longer for that than some commands run. */
export function createTerminal(
  streams: { readonly stdout: Stream; readonly stderr: Stream },
  env: Environment,
  wrapMessages?: WrapMessages,
): Terminal {
  const [out, err] = [() => streams.stdout, () => streams.stderr]
  return { out: createChannel(out, env), err: createChannel(err, env, wrapMessages) }
}

/** Breaks the lines of messages for a terminal. */
type WrapMessages = (text: string, columns: number) => string

function createChannel(open: () => Stream, env: Environment, wrapMessages?: WrapMessages): Channel {
  let opened: Stream | undefined
  let [isPlain, isClosed] = [false, false]
  const stream = () => {
    // Without a listener, a closed pipe would crash the process. Each write reports its own error.
    opened ??= open().on('error', () => undefined)
    return opened
  }
  const isTty = () => stream().isTTY === true
  const hasStyle = () => !isPlain && wantsColour({ env, isTty })
  return {
    get isTty() {
      return isTty()
    },
    get canRedraw() {
      return isTty() && env['TERM'] !== 'dumb'
    },
    get columns() {
      return stream().columns || 80
    },
    get rows() {
      return stream().rows || 24
    },
    get hasStyle() {
      return hasStyle()
    },
    style: (style, text) => (hasStyle() ? styleText(style, text, { validateStream: false }) : text),
    disableColor: () => {
      isPlain = true
    },
    write: async (text) => {
      if (text.length === 0) return isClosed ? 'closed' : 'written'
      const wraps = wrapMessages !== undefined && typeof text === 'string' && isTty()
      const shown = wraps ? wrapMessages(text, stream().columns || 80) : text
      if (!isClosed) isClosed = (await writeTo(stream(), shown)) === 'closed'
      return isClosed ? 'closed' : 'written'
    },
  }
}

function writeTo(stream: Stream, text: string | Uint8Array): Promise<Written> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error === undefined || error === null) resolve('written')
      else if (isGone(error, stream)) resolve('closed')
      else reject(outputFailed({ reason: error.message }, error))
    })
  })
}

function isGone(error: unknown, { isTTY }: Stream): boolean {
  const code = errorCode(error) ?? ''
  // A terminal that was closed fails with EIO. In a file that is a broken disk.
  return ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'EOF'].includes(code) || (isTTY && code === 'EIO')
}

/** https://no-color.org: a non-empty NO_COLOR turns colour off. FORCE_COLOR turns it on without a terminal. */
function wantsColour(facts: { env: Environment; isTty: () => boolean }): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = facts.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0'
  return TERM !== 'dumb' && facts.isTty()
}
