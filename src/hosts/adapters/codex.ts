import type { Capability } from '../capability.ts'
import { skill } from '../formats.ts'
import type { GeneratedFile, Host } from '../host.ts'

/** Codex does not heed the front matter's word on who may call a skill; this file it does. */
const POLICY = 'policy:\n  allow_implicit_invocation: false\n'

export const codex: Host = {
  id: 'codex',
  name: 'Codex CLI',
  directories: ['.codex'],
  ownershipRoot: '.codex',
  surfaces: [],
  invocation: (name) => `$${name}`,
  filesOf: (capability) => [policy(capability), ...skill(capability, '.codex/skills')],
}

function policy({ name }: Capability): GeneratedFile {
  return { path: `.codex/skills/${name}/agents/openai.yaml`, text: POLICY, capability: name, role: 'policy' }
}
