import { publicAddress } from '../../http/public-address.ts';
import type { Handlers } from '../../http/route.ts';
import type { Enrollment } from './enrollment.service.ts';

export const enrollmentRoutes = (enrollment: Enrollment): Handlers => ({
  enroll: ({ body, headers, sourceIp, reply }) => {
    // The request guard admitted only a host of this broker.
    const { scheme, host } = publicAddress(reply.request);
    const base = `${scheme}://${host}`;
    return enrollment.enroll(body, { base, sourceIp, userAgent: headers['user-agent'] });
  },
  pollEnrollment: ({ body }) => enrollment.poll(body.deviceCode),
  pendingEnrollments: () => enrollment.pending(),
  enrollmentHistory: () => enrollment.history(),
  approveEnrollment: ({ actor, body }) => enrollment.approve(actor, body),
  rejectEnrollment: async ({ actor, body }) => {
    await enrollment.reject(actor.name, body);
    return undefined;
  },
});
