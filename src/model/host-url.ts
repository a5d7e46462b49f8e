/** Puts an IPv6 address in brackets. */
export const hostAndPort = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

export const httpUrl = (host: string, port: number): string => `http://${hostAndPort(host, port)}`

/** A URL to open in a browser on this machine. A browser cannot open a wildcard address such as 0.0.0.0. */
export const localUrl = (host: string, port: number): string =>
  httpUrl(ownAddresses.has(host) ? 'localhost' : host, port)

const ownAddresses: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '0.0.0.0', '::'])
