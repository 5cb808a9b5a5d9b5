import { callable, frontMatter, quoted, references } from '../formats.ts'
import type { Host } from '../host.ts'

const AGENTS = '.github/agents'

/** Most repositories on GitHub have a `.github`, so that alone says nothing. */
export const copilot: Host = {
  id: 'copilot',
  name: 'GitHub Copilot',
  directories: [AGENTS, '.github/copilot', '.github/prompts', '.github/skills'],
  ownershipRoot: '.github/copilot',
  surfaces: [],
  invocation: (name) => `pick the custom agent ${name}`,
  filesOf: (capability) => {
    const head = frontMatter([
      ['name', capability.name],
      ['description', quoted(capability.description)],
      ['disable-model-invocation', 'true'],
    ])
    return [
      ...references(capability, AGENTS),
      callable(capability, `${AGENTS}/${capability.name}.agent.md`, `${head}\n${capability.text}`),
    ]
  },
}
