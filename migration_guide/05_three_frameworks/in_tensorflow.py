import tensorflow as tf

# 1. data
train = tf.data.Dataset.from_tensor_slices((images.transpose(0, 2, 3, 1), labels)).batch(32)

# 2. network (channels last)
network = tf.keras.Sequential([
    tf.keras.layers.Conv2D(8, 3, padding="valid", activation="relu"),
    tf.keras.layers.MaxPooling2D(2),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(10),
])

# 3. loss
loss_function = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

# 4. optimizer
optimizer = tf.keras.optimizers.SGD(learning_rate=0.05, momentum=0.9)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        # 5. forward
        loss = loss_function(y, network(x, training=True))
    # 6. backward
    gradients = tape.gradient(loss, network.trainable_variables)
    # 7. update
    optimizer.apply_gradients(zip(gradients, network.trainable_variables))
    return loss


for epoch in range(5):
    for x, y in train:
        loss = step(x, y)
    print(epoch + 1, float(loss))
