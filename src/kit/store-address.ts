/** The address of a PostgreSQL store, which may name several servers: `postgres://user@one,two:5433/drover`. Pure. */

type Parts = { before: string; hosts: string; after: string }

function partsOf(url: string): Parts {
  const [, before = '', hosts = '', after = ''] = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(url) ?? []
  return { before, hosts, after }
}

/** An address for each server. */
export function addressesOf(url: string): [string, ...string[]] {
  const { before, hosts, after } = partsOf(url)
  const [first, ...others] = hosts.split(',').map((host) => `${before}${host}${after}`)
  return others.length === 0 || first === undefined ? [url] : [first, ...others]
}

export function isAddress(url: string): boolean {
  return addressesOf(url).every((each) => URL.canParse(each))
}

/** The address after a change of what its servers share. */
export function changeAddress(url: string, change: (address: URL) => void): string {
  const address = new URL(addressesOf(url)[0])
  change(address)
  const { before, after } = partsOf(address.href)
  return `${before}${partsOf(url).hosts}${after}`
}
