import { describe, expect, it } from 'vitest'
import { toExporterOptions } from './open-telemetry.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/' }

describe('toExporterOptions', () => {
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ['nothing', '', {}, undefined],
    ['the setting', 'http://here:4318', {}, 'http://here:4318/v1/traces'],
    ['the variable, with its path', '', ENDPOINT, 'http://collector:4318/base/v1/traces'],
    [
      'the setting before all variables',
      'https://here',
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'x:' },
      'https://here/v1/traces',
    ],
    [
      'the variable of the signal, as it is',
      '',
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x' },
      'http://t/x',
    ],
    ['no address', '', { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, undefined],
    ['a signal that is turned off', 'http://here', { OTEL_TRACES_EXPORTER: 'none' }, undefined],
  ])('finds where traces go: %s', (_name, endpoint, env, url) => {
    expect(toExporterOptions('TRACES', endpoint, env)?.url).toBe(url)
  })

  it('reads headers, time limit and compression, those of the signal first', () => {
    const env = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1, b=x%20y=z ,=none,alone,c=%zz',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'a=2',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '700',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    }
    const headers = { a: '2', b: 'x y=z', c: '%zz' }
    expect(toExporterOptions('METRICS', '', env)).toMatchObject({ headers, timeoutMillis: 500, compression: 'gzip' })
    expect(toExporterOptions('TRACES', '', env)).toMatchObject({ headers: { a: '1' }, timeoutMillis: 700 })
  })

  it.each([
    ['nonsense', 10_000],
    ['-1', 10_000],
    ['86400000', 60_000],
  ])('limits a time limit of %s', (text, timeoutMillis) => {
    const env = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TIMEOUT: text }
    expect(toExporterOptions('TRACES', '', env)).toMatchObject({ timeoutMillis, compression: 'none' })
  })
})
