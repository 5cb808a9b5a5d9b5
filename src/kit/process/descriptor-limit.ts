let known: number | undefined

/** How many files and connections this process may have open at the same time. Node has raised it as far as it may. */
export function descriptorLimit(): number {
  known ??= readLimit()
  return known
}

/** The report of Node is the only way to ask for it on every system. Without these parts it takes 2 ms. */
function readLimit(): number {
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report
  const { excludeNetwork, excludeEnv } = report
  Object.assign(report, { excludeNetwork: true, excludeEnv: true })
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
  Object.assign(report, { excludeNetwork, excludeEnv })
  const limit = Number(userLimits?.open_files?.soft)
  return Number.isSafeInteger(limit) ? limit : Number.POSITIVE_INFINITY
}
