/** Measures alternatives side by side: every round runs each once, so that a slow moment of the machine affects them all. */
export type Contender = {
  name: string
  /** Runs before each measurement. */
  prepare?: () => void
  once: () => unknown
}

export type Timing = { name: string; medianMs: number; p90Ms: number }

/** `warmUps`: rounds that do not count. */
export async function measure(contenders: readonly Contender[], rounds: number, warmUps = 1): Promise<Timing[]> {
  const taken = new Map<string, number[]>(contenders.map(({ name }) => [name, []]))
  for (const { prepare, once } of Array.from({ length: warmUps }, () => contenders).flat()) {
    prepare?.()
    await once()
  }
  for (let round = 0; round < rounds; round++) {
    // What one leaves behind slows down the next, so each is first in turn.
    const first = round % contenders.length
    for (const { name, prepare, once } of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      prepare?.()
      const started = performance.now()
      await once()
      taken.get(name)?.push(performance.now() - started)
    }
  }
  return [...taken].map(([name, times]) => ({ name, medianMs: quantile(times, 0.5), p90Ms: quantile(times, 0.9) }))
}

function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** A table in which each row is compared with the first. */
export function formatTable(title: string, timings: readonly Timing[]): string {
  const base = timings[0]?.medianMs ?? Number.NaN
  const width = Math.max(...timings.map(({ name }) => name.length))
  const rows = timings.map(({ name, medianMs, p90Ms }) => {
    const cells = [ms(medianMs), ms(p90Ms), ms(medianMs - base), `${(medianMs / base).toFixed(2)}x`]
    return `  ${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(9)).join('  ')}`
  })
  const head = ['median', 'p90', 'above', 'ratio'].map((cell) => cell.padStart(9)).join('  ')
  return [title, `  ${' '.repeat(width)}  ${head}`, ...rows].join('\n')
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
