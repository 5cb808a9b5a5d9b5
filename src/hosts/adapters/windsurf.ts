import { body, bodyPath, callable, frontMatter, quoted } from '../formats.ts'
import type { Host } from '../host.ts'

const ROOT = '.windsurf'

export const windsurf: Host = {
  id: 'windsurf',
  name: 'Windsurf',
  directories: [ROOT],
  ownershipRoot: ROOT,
  surfaces: [],
  invocation: (name) => `/${name}`,
  filesOf: (capability) => {
    const head = frontMatter([['description', quoted(capability.description)]])
    const path = `${ROOT}/workflows/${capability.name}.md`
    return [...body(capability, ROOT), callable(capability, path, `${head}@${bodyPath(capability, ROOT)}\n`)]
  },
}
