import { problemOf, unreachable } from './api-problem.ts'
import type { Send } from './send.ts'
import type {
  InvitationAnswer,
  JoinedProject,
  Link,
  LinkList,
  NewLink,
  PasswordLinkAnswer,
  ShownInvitation,
} from './types.ts'

/** The addresses that links lead to. What follows the # is sent to no server and written to no log. */
const linkPaths = { invitation: '/invitation', password: '/new-password' } as const

const addressOf = (path: string, { secret }: NewLink): string => `${location.origin}${path}#${secret}`

const make = async (send: Send, path: string, body: object): Promise<NewLink> =>
  (await send({ method: 'POST', path, body })).json()

/** The address for somebody who shall become a member of the project. */
export const inviteInto = async (send: Send, projectId: string): Promise<string> =>
  addressOf(linkPaths.invitation, await make(send, '/ext/invitations', { projectId }))

/** The same as a mail, which the server sends. */
export async function inviteByMail(send: Send, projectId: string, mailTo: string): Promise<void> {
  await send({ method: 'POST', path: '/ext/invitations/mail', body: { projectId, mailTo } })
}

/** Those into the project that nobody has used, no matter who made them. */
export async function openInvitations(send: Send, projectId: string): Promise<readonly Link[]> {
  const list: LinkList = await (await send({ path: `/ext/invitations?projectId=${projectId}` })).json()
  return list.links
}

export async function endInvitation(send: Send, id: string): Promise<void> {
  await send({ method: 'DELETE', path: '/ext/invitations', body: { id } })
}

/** With the account that somebody has already; which project it was. */
export async function joinByInvitation(send: Send, secret: string): Promise<string> {
  const body: JoinedProject = await (
    await send({ method: 'POST', path: '/ext/invitations/join', body: { secret } })
  ).json()
  return body.projectId
}

/** A link for a new password, as a mail to the login. */
export async function mailPasswordLink(send: Send, userId: string): Promise<void> {
  await send({ method: 'POST', path: '/ext/password-links/mail', body: { userId } })
}

/** The address for somebody who has lost the password. */
export const makePasswordLink = async (send: Send, userId: string): Promise<string> =>
  addressOf(linkPaths.password, await make(send, '/ext/password-links', { userId }))

/** Who invites, and into what. */
export const readInvitation = async (apiUrl: string, secret: string): Promise<ShownInvitation> =>
  (await post(`${apiUrl}/ext/invitations/read`, { secret })).json()

export async function acceptInvitation(apiUrl: string, body: InvitationAnswer): Promise<void> {
  await post(`${apiUrl}/ext/invitations/accept`, body)
}

export async function usePasswordLink(apiUrl: string, body: PasswordLinkAnswer): Promise<void> {
  await post(`${apiUrl}/ext/password-links/use`, body)
}

/** Sends without a token: people who follow a link are not signed in. */
async function post(address: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => {
    throw unreachable()
  })
  if (!response.ok) throw await problemOf(response)
  return response
}
