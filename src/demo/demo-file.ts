/** The file that the demo agent writes where an agent is expected to change something. Pure. */
export type DemoFile = { path: string; content: string }

export const FILE = 'drover-demo.md'

export function planFile(goal: string): DemoFile {
  const quoted = goal.trim().replace(/^/gm, '> ')
  const content = `# Demo\n\nThe demo agent of drover wrote this file. It calls no model. The goal was:\n\n${quoted}\n`
  return { path: FILE, content }
}
