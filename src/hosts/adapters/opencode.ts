import { body, bodyPath, callable, frontMatter, quoted } from '../formats.ts'
import type { Host } from '../host.ts'

const ROOT = '.opencode'

export const opencode: Host = {
  id: 'opencode',
  name: 'OpenCode',
  directories: [ROOT],
  ownershipRoot: ROOT,
  surfaces: [],
  invocation: (name) => `/${name}`,
  filesOf: (capability) => {
    const head = frontMatter([['description', quoted(capability.description)]])
    const path = `${ROOT}/commands/${capability.name}.md`
    return [...body(capability, ROOT), callable(capability, path, `${head}@${bodyPath(capability, ROOT)}\n`)]
  },
}
