import { type CasTest, type Language, SETTING_CATEGORIES, say } from '@sallyport/contract';
import type { FastifyInstance } from 'fastify';
import { readBody, route } from '../../http/route.ts';
import { samples } from '../../http/shapes.ts';
import { invalid } from '../../platform/errors.ts';
import { SUPER } from '../../platform/settings/service.ts';
import { assertPassed, TestSteps } from '../../platform/settings/test-steps.ts';
import { type CasServer, fetchFrom, loginAddress, TicketRefused, validate } from './protocol.ts';
import { serverOf, serviceAt } from './routes.ts';

const FORM = SETTING_CATEGORIES.cas.fields;
const LABELS = {
  login: { en: 'Sign-in page', zh: '登录页面' },
  validation: { en: 'Tickets', zh: '票据验证' },
  service: { en: 'This server', zh: '本系统' },
};
const TESTED = samples<CasTest>({
  msg: 'People can sign in through https://cas.example.com/cas.',
  steps: [
    {
      step: 'login',
      label: 'Sign-in page',
      ok: true,
      detail: 'https://cas.example.com/cas/login',
      milliseconds: 41,
    },
  ],
});

/**
 * Sends the requests of browsers and of this server, with an unknown ticket. Stops at the first
 * failed step.
 */
async function testServer(
  server: CasServer,
  service: string,
  language: Language,
): Promise<CasTest['steps']> {
  const reach = async () => {
    const { status } = await fetchFrom(loginAddress(server, service));
    if (status >= 400)
      throw new Error(
        say(
          {
            en: 'HTTP {status}. Register {service} on the CAS server.',
            zh: 'HTTP {status}。请在 CAS 服务器登记 {service}。',
          },
          language,
          { status, service },
        ),
      );
    return `${server.address}/login`;
  };
  const confirm = async () => {
    try {
      await validate(server, service, 'ST-0-sallyport-test');
    } catch (error) {
      if (!(error instanceof TicketRefused)) throw error;
      if (error.code === 'INVALID_TICKET')
        return say(
          { en: 'The server rejects an unknown ticket.', zh: '服务器拒绝了未知票据。' },
          language,
        );
      throw error;
    }
    throw new Error(
      say(
        {
          en: 'The server accepts a ticket that does not exist.',
          zh: '服务器接受了不存在的票据。',
        },
        language,
      ),
    );
  };
  const steps = new TestSteps(LABELS, language);
  await steps.takeAll([
    ['login', reach],
    ['validation', confirm],
    ['service', () => service],
  ]);
  return steps.taken;
}

/** Tests a CAS server with the values of the form, and reports each step. */
export function mountCasTest(app: FastifyInstance, publicUrl: string | undefined): void {
  route(app, {
    method: 'POST',
    url: '/api/v1/settings/cas/testing/',
    access: SUPER,
    area: 'security',
    summary: 'Test a CAS server with the given values.',
    body: FORM,
    answer: TESTED,
    async handler(context): Promise<CasTest> {
      const { language } = context;
      const values = readBody(context, FORM);
      const server = serverOf(values.AUTH_CAS_SERVER_URL ?? '', values.AUTH_CAS_VERSION ?? '3');
      if (server.address === '') throw invalid('AUTH_CAS_SERVER_URL', 'required');
      const steps = await testServer(server, serviceAt(context, publicUrl), language);
      assertPassed(steps, 'cas_test_failed');
      const works = say(
        { en: 'Users can sign in through {server}.', zh: '用户可以通过 {server} 登录。' },
        language,
        { server: server.address },
      );
      const off = say(
        { en: 'CAS sign-in is not enabled yet.', zh: '尚未启用 CAS 认证。' },
        language,
      );
      return { msg: values.AUTH_CAS === true ? works : `${works} ${off}`, steps };
    },
  });
}
