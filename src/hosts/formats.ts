/** The file formats in which hosts accept a capability. */
import type { Capability } from './capabilities.ts'
import type { GeneratedFile } from './host.ts'

type Fields = readonly (readonly [name: string, value: string])[]

export function callable(capability: Capability, path: string, text: string): GeneratedFile {
  return { path, text, capability: capability.name, role: 'callable' }
}

function support(capability: Capability, path: string, text: string): GeneratedFile {
  return { path, text, capability: capability.name, role: 'support' }
}

/** YAML front matter. The values must be valid YAML. */
export function frontMatter(fields: Fields): string {
  return `---\n${fields.map(([name, value]) => `${name}: ${value}\n`).join('')}---\n`
}

/** A double-quoted YAML string, which is the same as a JSON string. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}

/** The reference files of a capability, in the folder of its text. */
export function references(capability: Capability, folder: string): GeneratedFile[] {
  return capability.references.map(({ name, text }) => support(capability, `${folder}/references/${name}`, text))
}

/** A skill folder with `SKILL.md`. Only the user can call it. */
export function skill(capability: Capability, skills: string): GeneratedFile[] {
  const folder = `${skills}/${capability.name}`
  const head = frontMatter([
    ['name', capability.name],
    ['description', capability.description],
    ['disable-model-invocation', 'true'],
  ])
  return [...references(capability, folder), callable(capability, `${folder}/SKILL.md`, `${head}\n${capability.text}`)]
}

/** A command file with a description. It includes the text, which is in a separate file under `root`. */
export function command(
  capability: Capability,
  { path, root, fields = [] }: { path: string; root: string; fields?: Fields },
): GeneratedFile[] {
  const head = frontMatter([['description', quoted(capability.description)], ...fields])
  return [...textFiles(capability, root), callable(capability, path, `${head}@${bodyPath(capability, root)}\n`)]
}

/** The text without front matter, for hosts whose entry point includes it. */
export function textFiles(capability: Capability, root: string): GeneratedFile[] {
  const folder = `${root}/drover/capabilities`
  return [...references(capability, folder), support(capability, bodyPath(capability, root), capability.text)]
}

export function bodyPath(capability: Capability, root: string): string {
  return `${root}/drover/capabilities/${capability.name}.md`
}
