import pg from 'pg'

const answerMilliseconds = 5000

/** Not connected yet. It gives up early: somebody waits for the findings. */
export function openClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'doctor',
    connectionTimeoutMillis: answerMilliseconds,
    query_timeout: answerMilliseconds,
  })
  client.on('error', () => undefined)
  return client
}
