import { join } from 'node:path'
import type { SandboxParts } from '../../src/prompts/prompt-context.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin')

export function sandboxParts(droverHome: string): SandboxParts {
  return {
    forwarder: join(BIN, 'sandbox-forwarder.cjs'),
    probe: join(BIN, 'sandbox-probe.cjs'),
    droverHome,
    hidden: [],
  }
}
