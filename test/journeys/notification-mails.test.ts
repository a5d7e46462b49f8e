import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, beforeEach, describe, test } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { claimMails } from '../../src/accounts/mail-queue.ts'
import { endLinksOfAccount } from '../../src/accounts/sessions.ts'
import { budgetLimits } from '../../src/config/budgets.ts'
import { sql } from '../../src/db/sql.ts'
import { type MailWorker, startMailWorker } from '../../src/features/mail/worker.ts'
import { followChanges } from '../../src/features/notifications/follow.ts'
import {
  composeNotifications,
  mailedNotificationsMax,
  queueNotificationMails,
} from '../../src/features/notifications/mails.ts'
import { storeNotifications } from '../../src/features/notifications/notifications.ts'
import { createLog } from '../../src/http/log.ts'
import { startChild } from '../support/child-host.ts'
import { fixture } from '../support/fixture.ts'
import { followFromNow } from '../support/follow-from-now.ts'
import { addressOf, underRoleOf } from '../support/fresh-database.ts'
import { startIdentityHost } from '../support/identity-host.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'
import { until } from '../support/until.ts'

const web = 'https://app.example.com'
/** A day in the future, on which no host sends mails by its own clock. */
const at = (time: string) => new Date(`2100-06-01T${time}Z`)

describe('Mails about notifications', () => {
  const server = fixture(startMailServer)
  // The host sends no mails, so that a test decides when a mail is sent.
  const rest = fixture(startRestUnderTest, { Auth__SessionValidationCacheSeconds: '0' })
  const workspace = fixture(seed, rest)
  let ann: Person
  let bob: Person
  let projectId: string
  let membership: string
  const lines: string[] = []

  before(async () => {
    ann = await rest.signUp({ name: 'Ann' })
    projectId = await workspace.project('Moon base', ann)
    await followFromNow(rest.database)
  })
  beforeEach(async () => {
    bob = await rest.signUp({ name: 'Bob' })
    membership = await workspace.join(projectId, bob.id)
  })

  const assign = (name = 'Write', person = bob) => workspace.assignment(projectId, person.id, { name })
  const changeSettings = async (body: object, person = bob) => {
    const { status } = await rest.call('PATCH', '/ext/settings', { token: person.token, body })
    assert.equal(status, 200)
  }
  /** Queues the mails that are due at this time, as if the oldest notification were from midnight. */
  const queue = async (time: string) => {
    await followChanges(rest.database)
    await rest.database.query(sql`
      update notification_mails set since = ${at('00:00:00').toISOString()}::timestamptz, due_at = null
      where since < '2100-01-01' returning 1`)
    await queueNotificationMails(underRoleOf('rest', rest.database), at(time))
  }
  const startWorker = (
    { url }: Pick<MailServer, 'url'> = server,
    silentMilliseconds = 10_000,
  ): MailWorker => {
    const database = underRoleOf('rest', rest.database)
    const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } })
    const administrators = administratorsOf({ adminLogins: ['admin@example.com'] })
    return startMailWorker({
      database,
      log,
      silentMilliseconds,
      securityLog: () => undefined,
      settings: {
        smtpUrl: url,
        from: 'tracker@example.com',
        linkOrigin: web,
        identityUrl: rest.identity.address,
      },
      composeNotifications: (mail) => composeNotifications({ database, administrators }, mail),
    })
  }
  /** Sends the queued mails, by this number of concurrent instances. */
  const send = async (to: Pick<MailServer, 'url'> = server, instances = 1, silentMilliseconds?: number) => {
    const workers = Array.from({ length: instances }, () => startWorker(to, silentMilliseconds))
    await Promise.all(workers.map((worker) => worker.poll()))
    await Promise.all(workers.map((worker) => worker.stop()))
  }
  const mailsTo = (person: Person, { received }: Pick<MailServer, 'received'> = server) =>
    received.filter(({ to }) => to.includes(person.login)).map(({ text }) => text)
  const retry = () => rest.database.singleWrites.query(sql`update mails set next_attempt_at = now()`)
  const tokenIn = (mail = '') =>
    /^List-Unsubscribe: <http:\/\/[^>]*\/ext\/unsubscribe\?token=([^>]+)>/m.exec(
      mail.replaceAll(/\r\n[ \t]+/g, ' '),
    )?.[1] ?? ''

  test('bundle the notifications of a few minutes', async () => {
    const first = await assign('Paint the door')
    await workspace.make('comment', { assignmentId: first, text: 'Blue, please' }, ann)
    const { id: workflowId } = await workspace.make('workflow', { name: 'Review\nNow', order: 7 })
    await workspace.write('PATCH', '/ext/assignment', { id: first, workflowId }, ann)
    const second = await assign('Open the door')
    await queue('00:03:59')
    await send()
    assert.deepEqual(mailsTo(bob), [])
    await Promise.all([queue('00:04:00'), queue('00:04:00')])
    await send(server, 2)
    await queue('23:00:00')
    await send()
    const [mail = '', ...others] = mailsTo(bob)
    assert.equal(others.length, 0)
    const [head = ''] = mail.split('\r\n\r\n', 1)
    assert.match(head, /^Subject: 4 new notifications\r$/m)
    assert.match(head, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
    assert.match(head, /^Auto-Submitted: auto-generated\r$/m)
    assert.match(head, /^Content-Language: en\r$/m)
    assert.ok(tokenIn(mail).startsWith(bob.id), head)
    const link = (id: string) => `${web}/projects/${projectId}/assignments/${id}`
    const body = mail.slice(head.length).replaceAll('\r', '')
    assert.match(
      body,
      new RegExp(
        [
          `\n\nOpen the door\nProject: Moon base\n- Assigned to you by Root\\.\n${link(second)}`,
          `Paint the door\nProject: Moon base\n- Moved to Review Now by Ann\\.\n- New comment by Ann\\.\n- Assigned to you by Root\\.\n${link(first)}`,
          '-- \nYou get this mail because of your account at https://app\\.example\\.com',
        ].join('\n\n'),
      ),
    )
    assert.ok(mail.includes(`${web}/account\r\n`), mail)
    assert.ok(mail.includes(`/ext/unsubscribe?token=${tokenIn(mail)}\r\n`), mail)
  })

  test('are sent at the chosen hour in the time zone of the account', async () => {
    await changeSettings({ notificationMails: 'daily', notificationHour: 9, timeZone: 'Asia/Tokyo' })
    await assign()
    // Nine o'clock in Tokyo is midnight in UTC, so the next one is a day later.
    await queue('12:00:00')
    await send()
    assert.deepEqual(mailsTo(bob), [])
    await changeSettings({ timeZone: 'America/New_York' })
    await queueNotificationMails(rest.database, at('12:59:00'))
    await send()
    assert.deepEqual(mailsTo(bob), [])
    await assign('Read')
    await followChanges(rest.database)
    await queueNotificationMails(rest.database, at('13:00:00'))
    await send()
    assert.match(mailsTo(bob)[0] ?? '', /^Subject: 2 new notifications\r$/m)
  })

  test('contain no muted kinds and no notifications that are already read', async () => {
    await changeSettings({ mutedKinds: ['assigned'] })
    const assignmentId = await assign()
    await queue('01:00:00')
    assert.deepEqual(await rest.database.query(sql`select 1 from mails where made_by = ${bob.id}`), [])
    await workspace.make('comment', { assignmentId, text: 'Now' }, ann)
    await queue('01:00:00')
    await changeSettings({ mutedKinds: ['assigned', 'commented'] })
    await send()
    assert.deepEqual(mailsTo(bob), [])
    await changeSettings({ mutedKinds: [] })
    await workspace.make('comment', { assignmentId, text: 'Or later' }, ann)
    await queue('01:00:00')
    await rest.call('PATCH', '/ext/notifications', { token: bob.token, body: { isRead: true, all: true } })
    await send()
    assert.deepEqual(mailsTo(bob), [])
    await workspace.make('comment', { assignmentId, text: 'Or never' }, ann)
    await queue('01:00:00')
    await send()
    assert.match(mailsTo(bob)[0] ?? '', /^Subject: Write: New comment by Ann\r$/m)
  })

  test('include a notification that is created while they are being queued', async () => {
    const assignmentId = await assign()
    await queue('00:01:00')
    await rest.database.transaction(async (transaction) => {
      const notification = {
        userId: bob.id,
        kind: 'commented',
        assignmentId,
        actorId: ann.id,
        cause: 'one',
      } as const
      await storeNotifications(transaction, [{ ...notification, at: new Date().toISOString() }])
      await queueNotificationMails(rest.database, at('01:00:00'))
    })
    await queueNotificationMails(rest.database, at('01:00:00'))
    await send()
    assert.match(mailsTo(bob)[0] ?? '', /^Subject: Write: 2 new notifications\r$/m)
  })

  test('are still sent after all links of the account have ended', async () => {
    await assign()
    await queue('01:00:00')
    await rest.database.transaction((transaction) => endLinksOfAccount(transaction, bob.id))
    await send()
    assert.match(mailsTo(bob)[0] ?? '', /^Subject: Write: Assigned to you by Root\r$/m)
  })

  test('do not mention assignments that the account can no longer see when they are sent', async () => {
    await assign()
    await queue('01:00:00')
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    await send()
    assert.deepEqual(mailsTo(bob), [])
  })

  test('are not sent to accounts that are deactivated, have no address or have turned them off', async () => {
    const withoutAddress = await rest.signUp({ name: 'Odd', login: 'no address' })
    const deactivated = await rest.signUp({ name: 'Gone' })
    for (const { id } of [withoutAddress, deactivated]) await workspace.join(projectId, id)
    await changeSettings({ notificationMails: 'none' })
    for (const person of [withoutAddress, deactivated, bob]) await assign('Write', person)
    await queue('01:00:00')
    await rest.database.query(
      sql`insert into deactivated_accounts (user_id, deactivated_by) values (${deactivated.id}, ${ann.id}) returning 1`,
    )
    const before = server.received.length
    await send()
    assert.equal(server.received.length, before)
    assert.deepEqual(
      await rest.database.query(sql`select 1 from notification_mails where user_id = ${bob.id}`),
      [],
    )
  })

  test(`contain no header from a name, and at most ${mailedNotificationsMax} notifications`, async () => {
    await changeSettings({ language: 'pt-BR' })
    const evil = await rest.signUp({ name: 'Eve\r\nBcc: x@example.com' })
    await workspace.join(projectId, evil.id)
    await workspace.make(
      'userAssignment',
      { assignmentId: await assign('One\r\nX-Evil: yes', evil), userId: bob.id },
      evil,
    )
    await queue('01:00:00')
    await send()
    const [single = ''] = mailsTo(bob)
    const [head = ''] = single.split('\r\n\r\n', 1)
    assert.doesNotMatch(head, /^(X-Evil|Bcc):/im)
    assert.match(
      single,
      /^One {2}X-Evil: yes\r\nProjeto: Moon base\r\n- Atribuída a você por Eve {2}Bcc: x@example\.com\.\r$/m,
    )
    for (let count = 0; count < mailedNotificationsMax + 3; count += 1) await assign(`Task ${count}`)
    await queue('02:00:00')
    await send()
    const [, many = ''] = mailsTo(bob)
    assert.match(many, /^E mais 3 na sua caixa de entrada:\r\nhttps:\/\/app\.example\.com\/inbox\r$/m)
    assert.equal(many.match(/^- Atribu/gm)?.length, mailedNotificationsMax)
  })

  test('are limited for each account and day', async () => {
    await rest.database.singleWrites.query(sql`
      insert into mails (id, purpose, made_by, ended_at)
      select gen_random_uuid(), 'notifications', ${bob.id}, now() from generate_series(1, ${budgetLimits.notificationMailsOfAccount.max}::int)`)
    await assign()
    await queue('01:00:00')
    await send()
    assert.deepEqual(mailsTo(bob), [])
    await rest.database.singleWrites.query(
      sql`update mails set created_at = (created_at at time zone 'UTC' - interval '1 day') at time zone 'UTC' where made_by = ${bob.id}`,
    )
    await queueNotificationMails(rest.database, new Date('2100-06-02T01:00:01Z'))
    await send()
    assert.equal(mailsTo(bob).length, 1)
  })

  const withServer = async (
    options: Parameters<typeof startMailServer>[0],
    work: (mailServer: MailServer) => Promise<void>,
  ) => {
    const mailServer = await startMailServer(options)
    await work(mailServer).finally(mailServer.stop)
  }

  test('are retried if the server has certainly not accepted them', async () => {
    await assign()
    await queue('01:00:00')
    const rejected = Object.assign(new Error('Not now'), { responseCode: 451 })
    await withServer({ afterData: (done) => done(rejected) }, (mailServer) => send(mailServer))
    await retry()
    await withServer({ onConnect: () => undefined }, (mailServer) => send(mailServer, 1, 300))
    await retry()
    await send({ url: 'smtp://127.0.0.1:1' })
    await retry()
    await send()
    assert.equal(mailsTo(bob).length, 1)
  })

  test('are not repeated if the server may have accepted them', async () => {
    await assign()
    await queue('01:00:00')
    await withServer({ afterData: () => undefined }, async (mailServer) => {
      // The server gets the mail within this time even on a busy machine.
      await send(mailServer, 1, 3000)
      assert.equal(mailsTo(bob, mailServer).length, 1)
    })
    await retry()
    await send()
    assert.deepEqual(mailsTo(bob), [])
  })

  test('are sent once, although an instance that has claimed one is paused for a long time', async () => {
    await assign()
    await queue('01:00:00')
    await rest.database.transaction((transaction) => claimMails(transaction, 4))
    await retry()
    await send(server, 2)
    await retry()
    await send(server, 2)
    assert.equal(mailsTo(bob).length, 1)
  })

  test('are sent once, although the host is killed while the server has the mail', async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'tracker-mail-'))
    await withServer({ afterData: () => undefined }, async (mailServer) => {
      const host = await startChild({
        DATABASE_URL: addressOf(rest.database),
        DATA_DIR: dataDirectory,
        SMTP_URL: mailServer.url,
        MAIL_FROM: 'tracker@example.com',
      })
      await assign()
      await queue('01:00:00')
      await until(() => mailsTo(bob, mailServer).length === 1, 'the mail')
      await host.end('SIGKILL')
    })
    await retry()
    await send()
    assert.deepEqual(mailsTo(bob), [])
    await rm(dataDirectory, { recursive: true, force: true })
  })

  describe('end', () => {
    let token: string
    beforeEach(async () => {
      await assign()
      await queue('01:00:00')
      await send()
      token = tokenIn(mailsTo(bob)[0])
    })
    const address = (given = token) => `${rest.identity.address}/ext/unsubscribe?token=${given}`
    const frequency = async (person = bob) =>
      (await rest.call('GET', '/ext/settings', { token: person.token })).body.settings.notificationMails

    test('by the form on the page of their link, not by opening the page', async () => {
      await changeSettings({ language: 'pt-BR' })
      const page = await fetch(address())
      assert.equal(page.status, 200)
      const text = await page.text()
      assert.match(text, /<h1>Não receber mais e-mails sobre notificações\?<\/h1>/)
      assert.equal(await frequency(), null)
      const action = /<form method="post" action="([^"]+)">/.exec(text)?.[1] ?? ''
      const confirmed = await fetch(new URL(action, rest.identity.address), {
        method: 'POST',
        body: new URLSearchParams(),
      })
      assert.match(await confirmed.text(), /<h1>Você não recebe mais e-mails sobre notificações<\/h1>/)
      assert.equal(await frequency(), 'none')
    })

    test('with one click in a mail program', async () => {
      await assign()
      await queue('02:00:00')
      const body = new FormData()
      body.set('List-Unsubscribe', 'One-Click')
      for (let count = 0; count < 2; count += 1)
        assert.equal((await fetch(address(), { method: 'POST', body })).status, 200)
      assert.equal(await frequency(), 'none')
      await send()
      assert.equal(mailsTo(bob).length, 1)
    })

    test('only for the account of the token', async () => {
      const [, signature] = token.split('.')
      for (const wrong of [
        `${ann.id}.${signature}`,
        `${bob.id}.`,
        token.slice(0, -2),
        `${bob.id}.${'A'.repeat(43)}`,
        'x',
        '',
      ]) {
        const answer = await fetch(address(wrong), {
          method: 'POST',
          body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
        })
        assert.equal(answer.status, 400, wrong)
      }
      assert.deepEqual([await frequency(), await frequency(ann)], [null, null])
    })
  })

  test('are logged without secrets and addresses', () => {
    assert.ok(lines.length > 0)
    assert.doesNotMatch(lines.join(''), /@example\.com|token=/)
  })
})

describe('Mails about notifications in a running host', () => {
  const server = fixture(startMailServer)
  const rest = fixture(() =>
    startRestUnderTest({
      SMTP_URL: server.url,
      MAIL_FROM: 'tracker@example.com',
      Cors__AllowedOrigins__0: web,
    }),
  )
  const workspace = fixture(seed, rest)

  test('are sent, and have no unsubscribe page without the extensions', async () => {
    const person = await rest.signUp()
    const projectId = await workspace.project('Moon base', rest.administrator)
    await workspace.join(projectId, person.id)
    await followFromNow(rest.database)
    await workspace.assignment(projectId, person.id)
    await followChanges(rest.database)
    await rest.database.query(
      sql`update notification_mails set since = (since at time zone 'UTC' - interval '5 minutes') at time zone 'UTC', due_at = null returning 1`,
    )
    const [mail] = await server.mailsTo(person.login)
    assert.match(mail?.text ?? '', /^Subject: Write: Assigned to you by Root\r$/m)
    const identity = await startIdentityHost(rest.database, { environment: { EXTENSIONS: 'false' } })
    assert.equal((await fetch(`${identity.address}/ext/unsubscribe?token=x`)).status, 404)
    await identity.stop()
  })
})
