import { fileBytesMax } from '../model/text.ts'
import { connectionsDefault, connectionsMax, connectionsMin } from './budgets.ts'
import {
  boolean,
  choice,
  commaSeparated,
  integer,
  numbered,
  port,
  type Setting,
  text,
  url,
} from './setting-kinds.ts'

const mebibyte = 1024 ** 2

const database = {
  DATABASE_URL: text({
    isSecret: true,
    documentedDefault: 'none: embedded PostgreSQL in `DATA_DIR`',
    about: 'any PostgreSQL, 15 or newer, with the encoding UTF8',
  }),
  DATABASE_READ_URL: commaSeparated({
    isSecret: true,
    about:
      'URLs of standbys of `DATABASE_URL`, separated by commas; lists, queries, reports and live listings are read there, and always include earlier writes',
  }),
  DATA_DIR: text({
    defaultValue: '.data',
    about: 'directory of the embedded database, of generated secrets and of attachments',
  }),
  DB_NAMED_STATEMENTS: boolean({
    documentedDefault: 'detected at the start',
    about:
      'prepares statements by name; set `false` behind poolers in transaction mode that do not support it, such as pgbouncer before 1.21',
  }),
  DB_CONNECTIONS: integer({
    defaultValue: connectionsDefault,
    min: connectionsMin,
    max: connectionsMax,
    about:
      'the most connections that one process opens, except the bank, whose processes have two each: [availability.md](availability.md#connections)',
  }),
  SLOW_STATEMENT_MILLISECONDS: integer({
    defaultValue: 1000,
    min: 0,
    max: 60_000,
    about: 'slower statements are logged with their operation, at most one a second; 0 logs none',
  }),
}

const addresses = {
  HOST: text({ defaultValue: '127.0.0.1', about: 'address to listen on' }),
  REST_PORT: port(5100, 'port of the REST host'),
  WEB_PORT: port(5400, 'port of the web client, whose origin is allowed by default'),
  WEB_API_URL: url({
    documentedDefault: '`http://localhost:{REST_PORT}`',
    about: 'URL of the REST host for browsers',
  }),
  IDENTITY_PORT: port(5200, 'port of the identity host'),
  COMMAND_PORT: port(5300, 'port of the command host for commands, over HTTP/2'),
  COMMAND_DIAGNOSTICS_PORT: port(5301, 'port of the command host for diagnostics, over HTTP/1.1'),
  COMMAND_DOTNET_NAMESPACE: text({
    defaultValue: 'GrpcServer.Contracts.Commands',
    about: "namespace of the .NET clients' commands",
  }),
  Cors__AllowedOrigins: numbered({
    documentedDefault: 'the web client on localhost',
    about: 'origins of browser clients',
  }),
  ASPNETCORE_FORWARDEDHEADERS_ENABLED: boolean({
    defaultValue: false,
    about:
      "takes the client's address from `X-Forwarded-For`, behind two proxies on REST and one on the other hosts; `TRUSTED_PROXIES` changes these numbers",
  }),
  TRUSTED_PROXIES: integer({
    defaultValue: 0,
    min: 0,
    // Chains of proxies are short, and each trusted proxy can forge the address of a client.
    max: 10,
    about:
      'with `ASPNETCORE_FORWARDEDHEADERS_ENABLED`, the number of your proxies in front of every host; 0 means two on REST and one elsewhere. If the number is too high, clients can forge their address',
  }),
  PROCESSES: integer({
    defaultValue: 1,
    min: 1,
    // More processes than cores only compete for the cores.
    max: 64,
    about:
      'number of processes that share the ports of REST, identity and commands; use the number of cores: [availability.md](availability.md#several-cores)',
  }),
  DRAIN_SECONDS: integer({
    defaultValue: 0,
    min: 0,
    // Longer than any load balancer takes to notice that a host is not ready.
    max: 300,
    about:
      'how long a stopping host keeps serving while it reports not ready; must be longer than the load balancer takes to notice',
  }),
}

const tokens = {
  Jwt__Issuer: url({
    documentedDefault: 'the identity host: `http://localhost:{IDENTITY_PORT}`',
    about: 'issuer of the tokens: the public URL of the identity host, the same for every host',
  }),
  Jwt__MetadataAddress: url({
    documentedDefault: "the issuer's `/.well-known/openid-configuration`",
    about:
      'discovery document with the signing keys, where REST and commands reach it; for a certificate of your own authority, set `NODE_EXTRA_CA_CERTS`',
  }),
  Jwt__Audience: text({ defaultValue: 'svc-api', about: 'audience of the REST host' }),
  Identity__GrpcAudience: text({ defaultValue: 'svc-grpc', about: 'audience of the command host' }),
  Jwt__SigningKey: text({
    isSecret: true,
    documentedDefault: 'generated into `DATA_DIR`',
    about: 'secret that encrypts the keys at rest; instances on several machines need the same one',
  }),
  Identity__KeyEncryptionSecret: text({
    isSecret: true,
    documentedDefault: '`Jwt__SigningKey`',
    about: 'secret that encrypts the keys at rest; takes precedence over `Jwt__SigningKey`',
  }),
  Identity__PreviousKeyEncryptionSecret: text({
    isSecret: true,
    about:
      'the previous value of `Identity__KeyEncryptionSecret` during a rotation: [runbooks.md](runbooks.md#rotate-the-encryption-secret)',
  }),
  Jwt__SigningPrivateKey: text({
    isSecret: true,
    documentedDefault: 'none: a rotating key ring',
    about: 'PEM of an externally managed RSA key that signs the tokens',
  }),
  Auth__SessionValidationCacheSeconds: integer({
    defaultValue: 30,
    min: 0,
    max: 3600,
    about: 'seconds for which the check of a session is cached; 0 disables the cache',
  }),
}

const signIn = {
  Identity__LoginPageUrl: text({
    documentedDefault: "the first allowed origin's `/login/`",
    about: 'sign-in page for clients that have none of their own',
  }),
  Identity__Passwords: boolean({
    defaultValue: true,
    about:
      '`false`: users sign in through external providers only; set it on the identity, REST and web hosts',
  }),
  Identity__LoginsAreVerified: boolean({
    defaultValue: false,
    about:
      '`true`: every login that is a mail address counts as verified (`email_verified`); only if administrators check addresses before they create accounts',
  }),
  Identity__InactivityMinutes: integer({
    defaultValue: 0,
    min: 0,
    // A session ends after eight hours in any case, as the contract requires.
    max: 8 * 60,
    about:
      'ends a session whose client requests no tokens for this long (35 to 480); 0: only after eight hours',
  }),
  Identity__SecondFactor: choice(
    'off',
    'administrators',
    'all',
  )({
    defaultValue: 'off',
    about: 'users who must have a second factor; with `off` it is optional: [identity.md](identity.md)',
  }),
  Identity__PasskeyDomain: text({
    documentedDefault: 'the common domain of web client and issuer',
    about: 'the domain to which passkeys are bound: [identity.md](identity.md)',
  }),
}

/** The secret of a client can be guessed by requests, so it must be long. */
export const clientSecretCharactersMin = 32
const secretLength = `at least ${clientSecretCharactersMin} characters`
const signingAlgorithm = choice(
  'RS256',
  'ES256',
)({
  defaultValue: 'RS256',
  about: 'the algorithm that signs the tokens of this client',
})

const clients = {
  'Identity__ServiceClients__{id}__Secret': text({
    isSecret: true,
    defaultValue: '',
    documentedDefault: 'required',
    about: `the secret of a client that acts as an account, ${secretLength}`,
  }),
  'Identity__ServiceClients__{id}__Login': text({
    defaultValue: '',
    documentedDefault: 'required',
    about: 'the login of the account that this client acts as',
  }),
  'Identity__ServiceClients__{id}__Scopes': numbered({
    documentedDefault: '`svc.api`, `svc.grpc`',
    about: 'the scopes that this client may request',
  }),
  'Identity__ServiceClients__{id}__SigningAlgorithm': signingAlgorithm,
  'Identity__Clients__{id}__RedirectUris': numbered({
    documentedDefault: 'required',
    about: 'the redirect URIs of a client of your own, compared exactly: [identity.md](identity.md)',
  }),
  'Identity__Clients__{id}__PostLogoutRedirectUris': numbered({
    about: 'the URIs to which this client may redirect after a sign-out, compared exactly',
  }),
  'Identity__Clients__{id}__Name': text({
    documentedDefault: 'its id',
    about: 'the name of this client on the sign-in pages',
  }),
  'Identity__Clients__{id}__FirstParty': boolean({
    defaultValue: false,
    about: '`true`: users are not asked to consent to this client',
  }),
  'Identity__Clients__{id}__Secret': text({
    isSecret: true,
    documentedDefault: 'none: a public client',
    about: `the secret of this client, ${secretLength}`,
  }),
  'Identity__Clients__{id}__RequirePkce': boolean({
    defaultValue: true,
    about: '`false` allows requests of this client without PKCE, if it has a secret',
  }),
  'Identity__Clients__{id}__Scopes': numbered({
    documentedDefault: '`openid`, `profile`, `email`, `offline_access`',
    about: 'the scopes that this client may request; `svc.api` and `svc.grpc` only if listed here',
  }),
  'Identity__Clients__{id}__SigningAlgorithm': signingAlgorithm,
}

const providers = {
  'Identity__Providers__{id}__Issuer': text({
    defaultValue: '',
    documentedDefault: 'required',
    about: 'the issuer of an external OpenID Connect provider for sign-in: [identity.md](identity.md)',
  }),
  'Identity__Providers__{id}__ClientId': text({
    defaultValue: '',
    documentedDefault: 'required',
    about: 'the id of this service at the provider',
  }),
  'Identity__Providers__{id}__ClientSecret': text({
    isSecret: true,
    documentedDefault: 'none: a public client',
    about: 'the secret of this service at the provider',
  }),
  'Identity__Providers__{id}__Name': text({
    documentedDefault: 'its id',
    about: "the name on the provider's sign-in button",
  }),
  'Identity__Providers__{id}__LinkByVerifiedEmail': boolean({
    defaultValue: false,
    about: 'links a new user of the provider to the account whose login is the verified mail address',
  }),
  'Identity__Providers__{id}__TrustAddresses': boolean({
    defaultValue: false,
    about: 'treats every mail address from the provider as verified',
  }),
  'Identity__Providers__{id}__CreateAccounts': boolean({
    defaultValue: false,
    about: 'creates an account for a user of the provider who has none',
  }),
  'Identity__Providers__{id}__DefaultProject': text({
    about: 'the id of the project that accounts created by `CreateAccounts` join',
  }),
}

const accounts = {
  SVC_ADMIN_LOGINS: commaSeparated({
    documentedDefault: 'none: the account that the database was seeded with, whatever its login is now',
    about: 'logins of the administrators, separated by commas',
  }),
  SVC_DEMO_LOGIN: text({
    documentedDefault: '`demo@example.com`',
    about:
      'login of the first account, which is created in an empty embedded database; in a database at `DATABASE_URL`, it is created only if this setting, `SVC_DEMO_PASSWORD` or `SVC_DEMO_DATA` is set',
  }),
  SVC_DEMO_PASSWORD: text({
    isSecret: true,
    documentedDefault: 'generated',
    about: 'password of the first account, `SVC_DEMO_LOGIN`; an existing account does not change',
  }),
  SVC_DEMO_DATA: boolean({
    documentedDefault: '`true` with the embedded database, else `false`',
    about: 'seeds a demo workspace into an empty database',
  }),
}

const features = {
  EXTENSIONS: boolean({
    defaultValue: true,
    about:
      '`off` removes everything under `/ext/` with its document, the commands beyond the contract, the clients of `Identity__Clients__`, and the providers of `Identity__Providers__`; personal access tokens are rejected, granted administrator roles are ignored, and no mails are sent',
  }),
  HOURS_STEP: choice(
    0.01,
    0.25,
    1,
  )({
    defaultValue: 0.01,
    about: 'the step of amounts of hours; clients that declare whole numbers need `1`',
  }),
  SMTP_URL: text({
    isSecret: true,
    documentedDefault: 'none: no mails',
    about: 'URL of the server that sends mails: [deployment.md](deployment.md#mails)',
  }),
  MAIL_FROM: text({ about: 'sender of the mails that `SMTP_URL` sends' }),
  WEBHOOKS: boolean({ defaultValue: true, about: 'delivers webhooks; `off` leaves it to other instances' }),
  WEBHOOK_RECEIVERS: commaSeparated({
    about:
      'allowed receivers of webhooks in addition to public https addresses: hosts, or hosts with a port, separated by commas',
  }),
}

const attachments = {
  Attachments__FileMegabytes: integer({
    defaultValue: 25,
    min: 1,
    max: fileBytesMax / mebibyte,
    about: 'the largest attachment, in MiB; proxies in front of the REST host need the same limit',
  }),
  Attachments__ProjectMegabytes: integer({
    defaultValue: 1024,
    min: 1,
    // A petabyte.
    max: 1024 ** 3,
    about:
      'the total size of the attachments of a project, in MiB, including removed ones; a file counts at least 4 KiB',
  }),
  Attachments__S3__Endpoint: url({
    documentedDefault: 'none: files are in `DATA_DIR/attachments`',
    about:
      'URL of an S3-compatible store for attachments, such as `https://s3.eu-central-1.amazonaws.com`: [operations.md](operations.md#files)',
  }),
  Attachments__S3__Bucket: text({ about: 'the bucket of the S3-compatible store; nothing else may use it' }),
  Attachments__S3__Region: text({
    defaultValue: 'us-east-1',
    about: 'the region in the signatures of S3 requests',
  }),
  Attachments__S3__AccessKey: text({ about: 'the id of the access key of the S3-compatible store' }),
  Attachments__S3__SecretKey: text({
    isSecret: true,
    about: 'the secret of the access key of the S3-compatible store',
  }),
  Attachments__S3__PathStyle: boolean({
    defaultValue: true,
    about: '`true`: the bucket is part of the path of S3 URLs; `false`: of the host name',
  }),
}

/** Audits look back further than this, and live listings less far, so a shorter time is a mistake. */
export const daysKeptMin = 30
const daysMax = 36_500
const daysKept = (about: string) =>
  integer({ defaultValue: 0, min: 0, max: daysMax, documentedDefault: '`0` (forever)', about })

const retention = {
  HISTORY_DAYS: daysKept(
    'days for which the history is kept, at least 30; a month is purged when it ended more than this many days ago',
  ),
  REMOVED_DAYS: daysKept(
    'days for which removed rows are kept, at least 30; earlier ones to which nothing refers are purged, and the purge is recorded',
  ),
}

const permitLimit = (defaultValue: number, about: string) =>
  integer({ defaultValue, min: 0, max: 1_000_000, about: `${about}; 0 disables the limit` })
const queueLimit = (defaultValue: number, about: string) =>
  integer({ defaultValue, min: 0, max: 10_000, about })

const rateLimits = {
  RateLimit__Rest__PermitLimit: permitLimit(300, 'requests per minute and address on the REST host'),
  RateLimit__Rest__QueueLimit: queueLimit(
    20,
    'requests of an address above the limit that wait on the REST host',
  ),
  RateLimit__Identity__PermitLimit: permitLimit(60, 'requests per minute and address on the identity host'),
  RateLimit__Identity__QueueLimit: queueLimit(
    5,
    'requests of an address above the limit that wait on the identity host',
  ),
  // Programs call in bursts, so there is no limit by default.
  RateLimit__Command__PermitLimit: permitLimit(0, 'calls per minute and address on the command host'),
  RateLimit__Command__QueueLimit: queueLimit(
    0,
    'calls of an address above the limit that wait on the command host',
  ),
}

const bank = {
  BANK_PORT: port(9999, 'port of the bank'),
  BANK_INSTANCES: integer({
    defaultValue: 2,
    min: 1,
    // Each is a process with two connections, and more processes than cores only compete for the cores.
    max: 8,
    about: 'processes that serve the port of the bank; SIGUSR2 replaces them one by one',
  }),
  BANK_OVER_LIMIT_STATUS: choice(
    200,
    422,
  )({
    defaultValue: 200,
    about: 'status of the answer to a debit over the limit, which changes no balance',
  }),
}

const observability = {
  LOG_LEVEL: choice(
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'trace',
    'silent',
  )({
    documentedDefault: '`info`; `warn` in a terminal',
    about: 'the lowest level that is logged',
  }),
  METRICS: boolean({ defaultValue: false, about: 'Prometheus metrics at `/metrics`' }),
  METRICS_TOKEN: text({
    isSecret: true,
    documentedDefault: 'none: only programs on this machine read them',
    about:
      'the bearer token that every reader of `/metrics` has to send, also on this machine; at least 16 characters',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url({
    documentedDefault: 'none: nothing is sent',
    about:
      'URL of an OpenTelemetry collector, such as `http://localhost:4318`, for requests, commands and statements',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: commaSeparated({
    isSecret: true,
    about: 'headers of the requests to the collector, as `name=value`, separated by commas',
  }),
  OTEL_SERVICE_NAME: text({ defaultValue: 'tracker', about: 'name of this process in the collector' }),
  OTEL_TRACES_SAMPLER_ARG: text({
    defaultValue: '1',
    about:
      'share of new traces that are recorded, from 0 to 1; a trace that a caller began follows the decision of the caller',
  }),
}

/**
 * All settings by the sections of docs/configuration.md. A reader of that page searches for a name, so each
 * text is complete without the row above it. `{id}` in a name is chosen by the operator.
 */
export const settingSections = {
  Database: database,
  Addresses: addresses,
  'Tokens and keys': tokens,
  'Sign-in': signIn,
  Clients: clients,
  'External providers': providers,
  Accounts: accounts,
  Features: features,
  Attachments: attachments,
  Retention: retention,
  'Rate limits': rateLimits,
  Bank: bank,
  Observability: observability,
} satisfies Record<string, Record<string, Setting<unknown>>>

type Sections = typeof settingSections
type Declared = Intersection<Sections[keyof Sections]>
/** Turns a union into an intersection, because TypeScript intersects what it infers from parameters. */
type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  member: infer Members,
) => void
  ? Members
  : never

export const declaredSettings: Declared = Object.assign({}, ...Object.values(settingSections))

/**
 * Settings of earlier releases, each with its replacement. A start and `doctor` report them if they are still
 * set.
 */
export const removedSettings: Readonly<Record<string, string>> = {
  DB_ROLE_PREFIX: 'the prefix is that of the user in DATABASE_URL, such as tracker_ of tracker_migrations',
  'Identity__ServiceClients__{id}__Audiences__{id}': "the client's scopes say whose tokens it may introspect",
  'Identity__Providers__{id}__Scopes__{id}': 'a provider is asked for openid, profile and email',
  'Identity__Providers__{id}__SignOut': 'a sign-out continues at the provider, where the provider has one',
  'Identity__Providers__{id}__Hosts__{id}': "a provider's endpoints are public or at the host of its issuer",
  CHANGE_LOG_DAYS: 'the change log is kept for 30 days',
  BANK_LOSE_ANSWERED_TRANSACTIONS_ON_CRASH: 'every answered transaction is on disk',
}

export type SettingName = keyof Declared
export type ValueOf<Name extends SettingName> = Declared[Name] extends Setting<infer Value> ? Value : never
