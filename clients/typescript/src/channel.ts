import { type ChannelCredentials, type ChannelOptions, credentials } from '@grpc/grpc-js'

export interface TlsOptions {
  /** Certificate authorities as PEM, instead of those of Node. */
  readonly ca?: string | Uint8Array
  /** The expected name in the certificate, if it differs from the target. */
  readonly serverName?: string
}

export interface Channel {
  readonly credentials: ChannelCredentials
  readonly options: ChannelOptions
}

/**
 * Uses TLS by default, except for targets on this machine, so that no token is sent unencrypted by accident.
 */
export function createChannel(target: string, tls: boolean | TlsOptions = !isThisMachine(target)): Channel {
  if (tls === false) return { credentials: credentials.createInsecure(), options: {} }
  const { ca, serverName } = tls === true ? {} : tls
  return {
    credentials: credentials.createSsl(ca === undefined ? null : Buffer.from(ca as Uint8Array)),
    options:
      serverName === undefined
        ? {}
        : { 'grpc.ssl_target_name_override': serverName, 'grpc.default_authority': serverName },
  }
}

const isThisMachine = (target: string): boolean =>
  /^(?:dns:(?:\/\/\/)?|ipv4:|ipv6:)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(target) ||
  /^unix(?:-abstract)?:/.test(target)
