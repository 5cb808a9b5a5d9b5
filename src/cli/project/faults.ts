import { defineFault } from '../../kit/fault.ts'

export const setupNotFound = defineFault('setup_not_found', 'usage', {
  when: 'The repository has no lock file or manifest of a known package manager.',
  message: (d: { root: string }) =>
    `${d.root} has no lock file or manifest of a known package manager; give --setup and --check yourself`,
})

export const projectFileMissing = defineFault('project_file_missing', 'usage', {
  when: 'The repository has no `.drover.yml`.',
  message: (d: { root: string }) =>
    `${d.root} has no .drover.yml; use "drover init" to configure its worktrees without one`,
})
