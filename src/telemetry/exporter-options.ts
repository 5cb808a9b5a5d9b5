/** Where telemetry goes: the setting, and the standard variables of OpenTelemetry. Pure. */

type Environment = Readonly<Record<string, string | undefined>>

export type ExporterOptions = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMillis: number
  readonly compression: 'gzip' | 'none'
}

const PATHS = { TRACES: 'v1/traces', METRICS: 'v1/metrics' } as const
export type Signal = keyof typeof PATHS

const DEFAULT_TIMEOUT_MS = 10_000
/** Longer, and what waits would fill the memory. */
const LONGEST_TIMEOUT_MS = 60_000

/**
 * Undefined: the signal is not exported. The setting wins over the variables. They are read here, because drover hides them
 * from agents, and so from libraries that look into the environment of the process.
 */
export function toExporterOptions(signal: Signal, endpoint: string, env: Environment): ExporterOptions | undefined {
  const find = (name: string) => env[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`]
  if (env[`OTEL_${signal}_EXPORTER`] === 'none') return undefined
  const own = endpoint === '' ? env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] : undefined
  const base = endpoint || env['OTEL_EXPORTER_OTLP_ENDPOINT']
  const url = own || (base && `${base.replace(/\/+$/, '')}/${PATHS[signal]}`)
  if (url === undefined || url === '' || !URL.canParse(url)) return undefined
  const timeout = Number(find('TIMEOUT'))
  return {
    url,
    headers: {
      ...parsePairs(env['OTEL_EXPORTER_OTLP_HEADERS']),
      ...parsePairs(env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`]),
    },
    timeoutMillis: timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS,
    compression: find('COMPRESSION') === 'gzip' ? 'gzip' : 'none',
  }
}

/** `a=1,b=x%20y`, as W3C Baggage. */
export function parsePairs(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=')
    return name.trim() === '' || value.length === 0 ? [] : [[name.trim(), decode(value.join('=').trim())]]
  })
  return Object.fromEntries(pairs)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
