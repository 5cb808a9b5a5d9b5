import type { RunCommand } from '../command.ts'

export const run: RunCommand = async ({ flags, runtime }) => {
  const report = {
    name: 'drover',
    version: runtime.version(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  }
  const text = flags.isOn('json')
    ? JSON.stringify(report, null, 2)
    : `drover ${report.version} (node ${report.node}, ${report.platform})`
  await runtime.terminal.out.write(`${text}\n`)
  return 0
}
