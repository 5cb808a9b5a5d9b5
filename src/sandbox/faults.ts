import { defineFault } from '../kit/fault.ts'

export const sandboxUnavailable = defineFault('sandbox_unavailable', 'unavailable', {
  when: 'The sandbox cannot be used on this machine: another system than Linux, no bubblewrap, or no user namespaces.',
  message: (d: { problem: string }) => `there is no sandbox on this machine: ${d.problem}`,
})

export const sandboxHostInvalid = defineFault('sandbox_host_invalid', 'usage', {
  when: 'A host of `sandbox.hosts` or `--host` is neither a name, an address, a range nor a preset.',
  message: (d: { host: string }) =>
    `${JSON.stringify(d.host)} is not a host for the sandbox; write example.com, *.example.com, example.com:8443, 10.0.0.0/8, or one of npm, pypi, crates, go and debian`,
})

export const sandboxDiskLimit = defineFault('sandbox_disk_limit', 'too_large', {
  when: 'A sandboxed command wrote more than `sandbox.max_disk_mb` allows, or left too little of the disk free, so drover ended it.',
  message: (d: { exceeded: string }) =>
    `the sandboxed command was ended because ${d.exceeded}; raise the limit or free some space if it needs more`,
})

export const sandboxCommitsRefused = defineFault('sandbox_commits_refused', 'invalid', {
  when: 'What git has written in a sandbox was not taken to the repository, because an object would be missing there: it is larger than 1 GB, or damaged.',
  message: (d: { exceeded: string }) =>
    `${d.exceeded}; the files are in the worktree: leave out what is too large, and commit again`,
})

export const sandboxTooWide = defineFault('sandbox_too_wide', 'usage', {
  when: 'A sandboxed command would be able to write to the whole home directory.',
  message: (d: { path: string }) =>
    `${d.path} contains your home directory, and a sandboxed command may not write there; choose a directory below it`,
})

export const sandboxRepositoriesUnknown = defineFault('sandbox_repositories_unknown', 'usage', {
  when: 'An agent that must not leave its sandbox would work in a directory where drover cannot find all repositories, so it could change what git runs outside.',
  message: (d: { problem: string }) =>
    `drover cannot protect all repositories below the working directory: ${d.problem}; choose a directory further down, or the access read-only`,
})
