import type { RunCommand } from '../command.ts'
import { printResult } from '../output/print-result.ts'

export const run: RunCommand = async (invocation) => {
  const report = {
    name: 'drover',
    version: invocation.runtime.version(),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  }
  const text = `drover ${report.version} (node ${report.node}, ${report.platform})\n`
  return await printResult(invocation, report, () => text)
}
