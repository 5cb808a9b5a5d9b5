import { defineFault } from '../../kit/fault.ts'

export const backendNameInvalid = defineFault('backend_name_invalid', 'usage', {
  when: 'The name for a new backend is taken by a built-in backend, reserved, or not a lowercase word.',
  message: (d: { name: string; problem: string }) => `"${d.name}" ${d.problem}`,
})

export const backendExists = defineFault('backend_exists', 'usage', {
  when: 'A backend with this name is already in the config.',
  message: (d: { name: string }) =>
    `${d.name} is already a backend; run "drover backends test ${d.name}" to try it, or "drover backends remove ${d.name}" first`,
})

export const agentUnknown = defineFault('agent_unknown', 'usage', {
  when: 'A backend is added without a command, and drover does not know an agent with this name.',
  message: (d: { name: string; known: readonly string[]; nearest: string | undefined }) =>
    `drover does not know the command of ${d.name} on this platform; give it after --, as in "drover backends add ${d.name} -- PROGRAM ARGUMENTS". Known: ${d.known.join(', ')}${d.nearest === undefined ? '' : `; did you mean ${d.nearest}?`}`,
})

export const registryUnreadable = defineFault('registry_unreadable', 'usage', {
  when: 'The file of `--registry` cannot be read, or is not one of the ACP registry.',
  message: (d: { path: string; problem: string }) =>
    `${d.path} cannot be used as a registry: ${d.problem}; give a copy of the ACP registry`,
})

export const backendNotDefined = defineFault('backend_not_defined', 'usage', {
  when: 'A command names a backend that the config does not define.',
  message: (d: { name: string; known: readonly string[] }) =>
    `the config defines no backend "${d.name}"${d.known.length === 0 ? '; "drover backends add" adds one' : `; it defines ${d.known.join(', ')}`}`,
})
