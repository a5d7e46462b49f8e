import {
  findSubscriber,
  stopNotificationMails,
  unsubscribePath,
} from '../../../accounts/notification-mails.ts'
import { findLanguage } from '../../../accounts/sign-in.ts'
import { type Call, type Endpoint, type Identity, singleParameters } from '../core/endpoint.ts'
import { pageOperation, required } from '../core/operation-parts.ts'
import { hostPathWithQuery } from '../core/redirects.ts'
import type { PageTemplate } from '../pages/page.ts'
import { html, type PlainText, type Translate } from '../pages/texts.ts'

const operation = {
  ...pageOperation,
  path: unsubscribePath,
  parameters: [required('token', 'The account, sealed; the mail has it.')],
}

/** Programs that scan mails open their links, so opening this page changes nothing. */
export const showUnsubscribe: Endpoint = {
  ...operation,
  id: 'ShowUnsubscribe',
  summary: 'Asks whether mails about notifications should end.',
  description: 'Mails about notifications link here. Opening the page changes nothing.',
  page: 'The page, with a button.',
  createHandler: (identity) => async (call) => {
    const { token = '' } = singleParameters(call.parameters)
    const action = hostPathWithQuery(identity.settings, unsubscribePath, { token })
    return respond(identity, call, questionPage(action))
  },
}

/**
 * The token alone authorizes the request: mail programs post from another site, without a session. Repeating
 * the request changes nothing.
 */
export const unsubscribe: Endpoint = {
  ...operation,
  id: 'Unsubscribe',
  summary: 'Ends mails about notifications.',
  description:
    'The button of the page and mail programs (RFC 8058) post to it, with a body of any type, which is not read.',
  method: 'POST',
  readsQueryOnly: true,
  page: 'Confirms it.',
  createHandler: (identity) => async (call) =>
    respond(identity, call, endedPage, (accountId) =>
      stopNotificationMails(identity.database.singleWrites, accountId),
    ),
}

async function respond(
  { database, settings }: Identity,
  { parameters }: Call,
  page: (settingsUrl: string) => PageTemplate,
  change?: (accountId: string) => Promise<void>,
) {
  const { token = '' } = singleParameters(parameters)
  const settingsUrl = `${settings.allowedOrigins[0]}/account`
  const accountId = await findSubscriber(database, token)
  if (accountId === undefined) return { page: unknownPage(settingsUrl) }
  await change?.(accountId)
  return { page: page(settingsUrl), language: await findLanguage(database, accountId) }
}

const settingsLink = (t: Translate, url: string, label: PlainText) =>
  html`<p><a href="${url}">${t(label)}</a></p>`

const questionPage =
  (action: string) =>
  (settingsUrl: string): PageTemplate =>
  (t) => ({
    title: t('End mails about notifications?'),
    content: html`<form method="post" action="${action}">
<p>${t('Your notifications stay in your inbox, where you can read them as before.')}</p>
<button>${t('End these mails')}</button>
</form>
${settingsLink(t, settingsUrl, 'Choose which notifications are mailed instead')}`,
  })

const endedPage =
  (settingsUrl: string): PageTemplate =>
  (t) => ({
    title: t('Mails about notifications have ended'),
    content: html`<p>${t('Your notifications stay in your inbox, where you can read them as before.')}</p>
${settingsLink(t, settingsUrl, 'Choose which notifications are mailed')}`,
  })

const unknownPage =
  (settingsUrl: string): PageTemplate =>
  (t) => ({
    title: t('This link is not valid'),
    status: 400,
    content: html`<p>${t('Copy the whole link from the mail, or choose in your account which notifications are mailed.')}</p>
${settingsLink(t, settingsUrl, 'Choose which notifications are mailed')}`,
  })
