"""2.x style: proximal policy optimisation balances a pole; clipped ratios, advantages, two heads."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops


class Pole:
    """A cart and a pole, Euler steps of 20 ms; an episode ends when the pole leans or after 60 steps."""

    def __init__(self, seed):
        self.random = np.random.RandomState(seed)

    def reset(self):
        self.state = self.random.uniform(-0.05, 0.05, 4)
        self.steps = 0
        return self.state.astype(np.float32)

    def step(self, action):
        x, v, angle, spin = self.state
        force = 10.0 if action else -10.0
        push = (force + 0.05 * spin**2 * np.sin(angle)) / 1.1
        turn = (9.8 * np.sin(angle) - np.cos(angle) * push) / (0.5 * (4 / 3 - 0.1 * np.cos(angle) ** 2 / 1.1))
        pull = push - 0.05 * turn * np.cos(angle) / 1.1
        self.state = self.state + 0.02 * np.array([v, pull, spin, turn])
        self.steps += 1
        fell = abs(self.state[2]) > 0.21 or abs(self.state[0]) > 2.4
        return self.state.astype(np.float32), 1.0, fell or self.steps >= 60


class ActorCritic(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(4, 32), nn.Tanh())
        self.actor = nn.Dense(32, 2, weight_init="zeros")
        self.critic = nn.Dense(32, 1)

    def construct(self, state):
        hidden = self.body(state)
        return ops.log_softmax(self.actor(hidden), -1), self.critic(hidden).squeeze(-1)


class PPO:
    def __init__(self, rate=0.01, limit=0.2):
        self.net = ActorCritic()
        self.limit = limit
        self.optimizer = nn.Adam(self.net.trainable_params(), rate, eps=1e-5)
        self.grad_fn = ms.value_and_grad(self.loss, None, self.optimizer.parameters, has_aux=True)
        self.random = np.random.RandomState(0)

    def act(self, state):
        log_probs, value = self.net(Tensor(state).expand_dims(0))
        probability = float(ops.exp(log_probs)[0, 1].asnumpy())
        action = int(self.random.random_sample() < probability)
        return action, float(log_probs[0, action]), float(value[0])

    def loss(self, states, actions, old, advantages, returns):
        log_probs, values = self.net(states)
        taken = ops.gather_elements(log_probs, 1, actions.expand_dims(1)).squeeze(1)
        ratio = ops.exp(taken - old)
        gain = ops.minimum(ratio * advantages, ops.clamp(ratio, 1 - self.limit, 1 + self.limit) * advantages)
        entropy = -(ops.exp(log_probs) * log_probs).sum(-1).mean()
        value_loss = ops.mse_loss(values, returns)
        return -gain.mean() + 0.5 * value_loss - 0.01 * entropy, value_loss, entropy

    def learn(self, batch):
        (loss, value_loss, entropy), grads = self.grad_fn(*batch)
        grads = ops.clip_by_norm(grads, 0.5)
        self.optimizer(grads)
        return loss, value_loss, entropy


def rollout(env, agent, episodes):
    rows, lengths = [], []
    for _ in range(episodes):
        state, done, steps = env.reset(), False, []
        while not done:
            action, log_prob, value = agent.act(state)
            after, reward, done = env.step(action)
            steps.append((state, action, log_prob, value, reward))
            state = after
        total, running = 0.0, []
        for *_, reward in reversed(steps):
            total = reward + 0.95 * total
            running.append(total)
        rows += [(s, a, p, g - v, g) for (s, a, p, v, _), g in zip(steps, reversed(running))]
        lengths.append(len(steps))
    states, actions, old, advantages, returns = map(np.array, zip(*rows))
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    floats = [Tensor(x, ms.float32) for x in (old, advantages, returns)]
    return (Tensor(states, ms.float32), Tensor(actions, ms.int32), *floats), lengths


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--device_target", default="CPU")
    ms.set_context(mode=ms.PYNATIVE_MODE, device_target=parser.parse_args().device_target)
    ms.set_seed(14)
    env, agent = Pole(2), PPO()
    for iteration in range(5):
        batch, lengths = rollout(env, agent, 4)
        print("iteration", iteration, "lengths", lengths)
        for _ in range(4):
            loss, value_loss, entropy = agent.learn(batch)
            print(
                "loss %.8f value %.8f entropy %.8f"
                % tuple(float(x.asnumpy()) for x in (loss, value_loss, entropy))
            )
    print(agent.net.actor.weight.asnumpy()[0, :4])
