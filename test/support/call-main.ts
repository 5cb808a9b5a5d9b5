/** Runs drover in this process: faster than a separate process, for tables of many rows. Also without vitest, for `npm run faults`. */
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { main } from '../../src/cli/program/main.ts'
import type { Channel, Written } from '../../src/cli/terminal.ts'
import { type Clock, systemClock } from '../../src/kit/clock.ts'
import { droverPath } from './bundled-program.ts'
import type { Ran } from './run-drover.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin')
const DEMO_AGENT = join(dirname(droverPath()), 'demo-agent.cjs')

export type CallOptions = { input?: string | Buffer; cwd?: string; env?: Record<string, string> }

/** For a command that another program talks to: its input, and what gets its output at once. */
type Talk = { stream?: Readable; onOutput?: (text: string) => void }

export type Surroundings = Required<Pick<CallOptions, 'cwd' | 'env'>> &
  Pick<CallOptions, 'input'> &
  Talk & {
    homeDirectory?: string
    /** The default is that of the machine. */
    clock?: Clock
    /** Real agents must know whose they are. */
    isRoot?: boolean
  }

export async function callMain(
  args: readonly string[],
  { cwd, env, input, homeDirectory = cwd, isRoot = false, stream, onOutput, clock = systemClock }: Surroundings,
): Promise<Ran> {
  // Each call adds signal listeners, like a process would.
  process.setMaxListeners(0)
  const [out, err] = [heard(onOutput), heard()]
  const bytes = Buffer.from(input ?? '')
  const read = async (limitBytes: number) => {
    if (bytes.length <= limitBytes) return bytes
    const { inputTooLarge } = await import('../../src/cli/faults.ts')
    throw inputTooLarge({ limitBytes })
  }
  const code = await main(args, {
    env,
    cwd,
    homeDirectory,
    version: () => '0.0.0',
    clock,
    terminal: { out: out.channel, err: err.channel },
    stdin: {
      isPiped: () => input !== undefined,
      isTty: false,
      read,
      readUnlessSilent: read,
      stream: () => (stream as NodeJS.ReadStream | undefined) ?? process.stdin,
      lines: async () => ({ next: async () => undefined, close: () => undefined }),
      keys: async () => ({ next: async () => undefined, clear: () => undefined, close: () => undefined }),
      editLines: async () => ({ ask: async () => ({ is: 'end' }) }),
    },
    isRoot,
    readableVariables: [],
    demoAgent: [process.execPath, DEMO_AGENT],
    jsonThread: '',
    sandbox: { forwarder: join(BIN, 'sandbox-forwarder.cjs'), probe: join(BIN, 'sandbox-probe.cjs') },
    consoleDirectory: '',
  })
  return { code, stdout: out.text(), stderr: err.text() }
}

function heard(onOutput?: (text: string) => void): { channel: Channel; text: () => string } {
  let text = ''
  const channel: Channel = {
    isTty: false,
    canRedraw: false,
    columns: 80,
    rows: 24,
    hasStyle: false,
    disableColor: () => undefined,
    style: (_style, words) => words,
    write: async (words): Promise<Written> => {
      text += words
      onOutput?.(String(words))
      return 'written'
    },
  }
  return { channel, text: () => text }
}
