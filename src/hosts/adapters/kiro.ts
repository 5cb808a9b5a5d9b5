import { writeIndentedJson } from '../../kit/json/write-json.ts'
import type { Capability } from '../capability.ts'
import { body, bodyPath, callable, frontMatter } from '../formats.ts'
import { type GeneratedFile, type Host, SURFACES } from '../host.ts'

const ROOT = '.kiro'

/** The editor takes steering files, the command line takes agents; both point to the same text. */
export const kiro: Host = {
  id: 'kiro',
  name: 'Kiro',
  directories: [ROOT],
  ownershipRoot: ROOT,
  surfaces: SURFACES,
  invocation: (name, surface) => (surface === 'cli' ? `kiro-cli chat --agent ${name}` : `#${name}`),
  filesOf: (capability, surface) => [
    ...body(capability, ROOT),
    surface === 'cli' ? agent(capability) : steering(capability),
  ],
}

function steering(capability: Capability): GeneratedFile {
  const head = frontMatter([['inclusion', 'manual']])
  const text = `${head}#[[file:${bodyPath(capability, ROOT)}]]\n`
  return callable(capability, `${ROOT}/steering/${capability.name}.md`, text)
}

function agent(capability: Capability): GeneratedFile {
  const { name, description } = capability
  const prompt = `file://../drover/capabilities/${name}.md`
  const text = `${writeIndentedJson({ name, description, prompt, tools: ['*'] })}\n`
  return callable(capability, `${ROOT}/agents/${name}.json`, text)
}
