import pg from 'pg'

/** Runs `use` with a connection of its own, for tasks outside the pools of a host, and closes it afterwards. */
export async function withClient<Result>(
  url: string,
  applicationName: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: applicationName })
  // Without a listener, a connection that is lost between two statements would end the process. The next statement
  // fails instead.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
