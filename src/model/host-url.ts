/** IPv6 addresses are in brackets. */
export const hostAndPort = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

export const httpUrl = (host: string, port: number): string => `http://${hostAndPort(host, port)}`

/** The URL of a host of this machine, for people. A browser cannot open the address that means all of them. */
export const localUrl = (host: string, port: number): string =>
  httpUrl(ownAddresses.has(host) ? 'localhost' : host, port)

const ownAddresses: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '0.0.0.0', '::'])
