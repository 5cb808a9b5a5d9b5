import type { Run } from '../command.ts'

export const run: Run = async ({ flags, world }) => {
  const report = {
    name: 'drover',
    version: world.version(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  }
  const text = flags.isOn('json')
    ? JSON.stringify(report, null, 2)
    : `drover ${report.version} (node ${report.node}, ${report.platform})`
  await world.terminal.out.write(`${text}\n`)
  return 0
}
