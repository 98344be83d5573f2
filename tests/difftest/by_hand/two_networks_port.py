"""two_networks.py, ported by hand."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(3)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.norm, self.fc2 = nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 6)

    def forward(self, z):
        return torch.tanh(self.fc2(torch.relu(self.norm(self.fc1(z)))))


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(6, 8), nn.Linear(8, 1)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


generator, critic = Generator(), Critic()
made = torch.optim.Adam(generator.parameters(), 1e-2, betas=(0.5, 0.999))
judged = torch.optim.Adam(critic.parameters(), 1e-2, betas=(0.5, 0.999))
bce = functional.binary_cross_entropy_with_logits
rng = np.random.default_rng(0)
for _ in range(2):
    real = torch.from_numpy(rng.normal(size=(16, 6)).astype(np.float32))
    z = torch.from_numpy(rng.normal(size=(16, 4)).astype(np.float32))
    fake = generator(z)
    of_real, of_made = critic(real), critic(fake.detach())
    loss = bce(of_real, torch.ones_like(of_real)) + bce(of_made, torch.zeros_like(of_made))
    judged.zero_grad()
    loss.backward()
    judged.step()
    of_made = critic(generator(z))
    loss = bce(of_made, torch.ones_like(of_made))
    made.zero_grad()
    loss.backward()
    made.step()
