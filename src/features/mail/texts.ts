export interface MailText {
  readonly subject: string
  readonly text: string
}

/** The texts of mails in one language. Names are already formatted, and a link has a line of its own. */
export interface MailTexts {
  password(values: PasswordValues): MailText
  factors(values: { readonly place: string }): MailText
  invitation(values: InvitationValues): MailText
}

export interface PasswordValues {
  /** The address of the installation. */
  readonly place: string
  readonly link: string
  readonly hours: number
  readonly isByAdministrator: boolean
}

export interface InvitationValues {
  readonly place: string
  readonly link: string
  readonly days: number
  readonly inviter: string
  readonly into: { readonly project: string; readonly organization: string } | undefined
}

export const en: MailTexts = {
  password: ({ place, link, hours, isByAdministrator }) => ({
    subject: 'Your new password',
    text: `${isByAdministrator ? 'An administrator has' : 'Somebody has'} asked for a new password for your account at ${place}.

Choose it here within ${hours} hour; the link works once:

${link}

If you want no new password, do nothing: the old one stays.
`,
  }),
  factors: ({ place }) => ({
    subject: 'How you sign in has changed',
    text: `How you sign in to your account at ${place} has changed: a passkey, an app for codes, recovery codes or an account elsewhere
was added or taken away. After a change of passkeys, apps or codes your other sign-ins have ended.

If that was you, there is nothing to do. If not, choose a new password at once, check "Second factor" and
"Linked accounts" on the page "My account", and tell an administrator.
`,
  }),
  invitation: ({ place, link, days, inviter, into }) => ({
    subject: 'You are invited',
    text: `${inviter} invites you${into ? ` to the project ${into.project} of ${into.organization}` : ''} at ${place}.

Make your account here within ${days} days, or join with the one you have; the link works once:

${link}

If you know nothing of it, do nothing.
`,
  }),
}

/** Uses the vocabulary of the web client: `web/src/texts/pt-br.ts` has the glossary. */
export const ptBr: MailTexts = {
  password: ({ place, link, hours, isByAdministrator }) => ({
    subject: 'Sua nova senha',
    text: `${isByAdministrator ? 'Um administrador pediu' : 'Alguém pediu'} uma nova senha para a sua conta em ${place}.

Escolha-a aqui em até ${hours} hora; o link funciona uma vez:

${link}

Se você não quer uma nova senha, não faça nada: a atual continua valendo.
`,
  }),
  factors: ({ place }) => ({
    subject: 'Sua forma de entrar mudou',
    text: `A forma de entrar na sua conta em ${place} mudou: uma chave de acesso, um aplicativo de códigos, códigos de recuperação ou uma conta
externa foi incluída ou retirada. Depois de uma mudança de chaves, aplicativos ou códigos, seus outros acessos foram encerrados.

Se foi você, não há nada a fazer. Se não foi, escolha logo uma nova senha, veja o que está em "Segundo fator" e em
"Contas em outros serviços" na página "Minha conta", e avise um administrador.
`,
  }),
  invitation: ({ place, link, days, inviter, into }) => ({
    subject: 'Você recebeu um convite',
    text: `${inviter} convida você ${into ? `para o projeto ${into.project}, de ${into.organization},` : 'a participar'} em ${place}.

Crie sua conta aqui em até ${days} dias, ou entre com a que você já tem; o link funciona uma vez:

${link}

Se você não sabe do que se trata, não faça nada.
`,
  }),
}
