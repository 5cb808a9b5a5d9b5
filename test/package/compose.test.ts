import { readFileSync } from 'node:fs'
import { BlockList } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readEnvironment } from '../../src/config/read-config.ts'
import { ROOT } from '../support/npm.ts'

const { services, networks } = parse(readFileSync(join(ROOT, 'deploy', 'compose.yaml'), 'utf8'), { merge: true })

it('the servers of compose.yaml trust its proxy only, whose address no other container gets', () => {
  const { ipv4_address: proxy } = services.proxy.networks.default
  const { environment } = services.serve
  expect(environment.DROVER_SERVER_TRUSTED_PROXIES).toBe(proxy)
  expect(readEnvironment(environment).warnings).toEqual([])
  const [{ subnet, ip_range: others }] = networks.default.ipam.config
  expect([isIn(proxy, subnet), isIn(proxy, others)]).toEqual([true, false])
})

function isIn(address: string, range: string): boolean {
  const [net = '', bits] = range.split('/')
  const list = new BlockList()
  list.addSubnet(net, Number(bits))
  return list.check(address)
}
